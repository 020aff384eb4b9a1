import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { interruptedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { stepOpenCodeTurn } from './decoder.js';
import {
  endTurn,
  markGap,
  newOpenCodeTurnState,
  type OpenCodeTurnState,
  type OpenCodeTurnStep,
  steerAnswered,
  steerTurn,
} from './state.js';
import type { HttpAnswer } from './transport.js';

/**
 * A running turn: the decoder's state, and the stream of its events. Its ending is known (`hasEnded`) before it goes into
 * the stream (`finish`), when nothing of the turn is under way any more.
 */
export class OpenCodeTurn {
  readonly stream: TurnStream;
  /** Resolves when the ending is known. */
  readonly ended: Promise<void>;
  /** It was asked to stop. */
  stopped = false;
  /** The server's answers to the messages that the turn was steered with. */
  readonly steerAnswers: Promise<void>[] = [];
  /** Steers of which the server has not told yet, by the id of their message. */
  readonly #pendingSteers = new Map<string, (taken: boolean) => void>();
  #state: OpenCodeTurnState;
  #ending: TurnEnding | undefined;
  #settleEnded: () => void = () => {};

  constructor(sessionId: string, options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
    this.#state = newOpenCodeTurnState(sessionId, '');
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
  }

  /** The turn begins with this message. Ids grow with time, so it is made when the turn before is over. */
  begin(promptId: string): void {
    this.#state = newOpenCodeTurnState(this.#state.sessionId, promptId);
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** The session is busy with it. */
  get isRunning(): boolean {
    return this.#state.started && !this.hasEnded && !this.stopped;
  }

  /** Shell commands that have begun and not ended. */
  get shellCommands(): readonly string[] {
    return [...this.#state.tools.values()].flatMap(({ name, input }) => {
      const command = name === 'bash' ? text(object(input)['command']) : '';
      return command === '' ? [] : [command];
    });
  }

  /** A message is being sent into the turn; resolves when the server has it, with false if it did not take it. */
  steer(id: string, answer: Promise<HttpAnswer>): Promise<boolean> {
    this.#state = steerTurn(this.#state, id);
    const answered = answer.then(
      ({ status, body }) =>
        this.#steerAnswered(id, status === 200 ? text(object(object(body)['info'])['id']) : ''),
      () => this.#steerAnswered(id, ''),
    );
    this.steerAnswers.push(answered);
    void this.stream.over.then(() => this.#settleSteer(id, false));
    return new Promise((resolve) => {
      this.#pendingSteers.set(id, resolve);
    });
  }

  /** Takes an event of the server; `change` has the last word on the events that it becomes. */
  receive(
    event: JsonObject,
    raw: string,
    change: (event: LiveEvent) => LiveEvent = (found) => found,
  ): readonly LiveEvent[] {
    if (event['type'] === 'message.updated') {
      this.#settleSteer(text(object(object(event['properties'])['info'])['id']), true);
    }
    const [state, events] = stepOpenCodeTurn(this.#state, event, raw);
    if (events.length === 0) {
      this.#state = state;
      return events;
    }
    const changed = events.map(change);
    this.#take([state, changed]);
    return changed;
  }

  deliver(event: LiveEvent): void {
    if (this.#ending !== undefined) return;
    if (event.type === 'ending') {
      this.#setEnding(event);
      return;
    }
    this.stream.push(event);
    // For the reader, who did not keep up, the turn has ended; the session stops it on the server.
    if (this.stream.overflowed) this.#setEnding({ type: 'ending', ending: interruptedEnding });
  }

  /** Events were lost: the rest of a text that is being written is told when the text is complete. */
  markGap(): void {
    this.#state = markGap(this.#state);
  }

  /** Takes the messages of the session as they are now, in place of events that were lost. */
  catchUp(messages: unknown): void {
    for (const { info, parts } of objects(messages)) {
      const sessionID = this.#state.sessionId;
      const about = (properties: JsonObject) => ({ sessionID, ...properties });
      this.receive({ type: 'message.updated', properties: about({ info }) }, '');
      for (const part of objects(parts)) {
        this.receive({ type: 'message.part.updated', properties: about({ part }) }, '');
      }
    }
  }

  /** Ends the turn, if it has not ended, as given or else as its events have told. */
  end(ending?: TurnEnding['ending']): void {
    this.#take(endTurn(this.#state, ending));
  }

  /** Puts the ending into the stream. */
  finish(): void {
    this.end();
    if (this.#ending === undefined) return;
    this.stream.push(this.stopped ? asInterrupted(this.#ending) : this.#ending);
  }

  #take([state, events]: OpenCodeTurnStep): void {
    this.#state = state;
    for (const event of events) this.deliver(event);
  }

  #steerAnswered(id: string, reply: string): void {
    this.#settleSteer(id, reply !== '');
    this.#take(steerAnswered(this.#state, id, reply));
  }

  #settleSteer(id: string, taken: boolean): void {
    this.#pendingSteers.get(id)?.(taken);
    this.#pendingSteers.delete(id);
  }

  #setEnding(ending: TurnEnding): void {
    this.#ending = ending;
    this.#settleEnded();
  }
}

/** A turn that was asked to stop ends as interrupted, also if it was answered meanwhile; a crash stays a crash. */
function asInterrupted(known: TurnEnding): TurnEnding {
  const crashed = known.ending.type === 'failed' && known.ending.code === 'crashed';
  return crashed ? known : { type: 'ending', ending: interruptedEnding };
}
