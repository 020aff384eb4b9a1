import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { interruptedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { decodeLive } from './decoder.js';
import { afterGap, beginTurn, concludeTurn, type OpenCodeTurnState, tellTurn, wasTold } from './state.js';
import type { HttpAnswer } from './transport.js';

/** A turn while it runs: the server's events go in, the turn's events come out, the ending last and held until `close`. */
export class OpenCodeTurn {
  /** It is over when the ending has been given out, and nothing of this turn is under way any more. */
  readonly stream: TurnStream;
  /** Resolves when the ending is known. */
  readonly ended: Promise<void>;
  interrupted = false;
  /** The server's answers to what was said into the turn. */
  readonly answers: Promise<void>[] = [];
  readonly #telling = new Map<string, (taken: boolean) => void>();
  #state: OpenCodeTurnState;
  #ending: TurnEnding | undefined;
  #settleEnded: () => void = () => {};

  constructor(sessionId: string, options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
    this.#state = beginTurn(sessionId, '');
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
  }

  /** The turn begins with this message. Ids grow with time, so it is made when the turn before is over. */
  begin(promptId: string): void {
    this.#state = beginTurn(this.#state.sessionId, promptId);
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** The session is busy with it. */
  get isRunning(): boolean {
    return this.#state.started && !this.hasEnded && !this.interrupted;
  }

  /** Shell commands that have begun and not ended. */
  get shellCommands(): readonly string[] {
    return [...this.#state.tools.values()].flatMap(({ name, input }) => {
      const command = name === 'bash' ? text(object(input)['command']) : '';
      return command === '' ? [] : [command];
    });
  }

  /** A message is being said into the turn; resolves when the server has it, with false when it did not take it. */
  say(id: string, answer: Promise<HttpAnswer>): Promise<boolean> {
    this.#state = tellTurn(this.#state, id);
    const said = answer.then(
      ({ status, body }) =>
        this.#answered(id, status === 200 ? text(object(object(body)['info'])['id']) : ''),
      () => this.#answered(id, ''),
    );
    this.answers.push(said);
    void this.stream.over.then(() => this.#taken(id, false));
    return new Promise((resolve) => {
      this.#telling.set(id, resolve);
    });
  }

  /** One event of the server; `change` is the last word on what becomes of it. */
  take(
    event: JsonObject,
    raw: string,
    change: (event: LiveEvent) => LiveEvent | undefined = same,
  ): readonly LiveEvent[] {
    if (event['type'] === 'message.updated') {
      this.#taken(text(object(object(event['properties'])['info'])['id']), true);
    }
    const [state, events] = decodeLive(this.#state, event, raw);
    this.#state = state;
    if (events.length === 0) return events;
    const told = events.flatMap((found) => change(found) ?? []);
    for (const found of told) this.tell(found);
    return told;
  }

  tell(event: LiveEvent): void {
    if (this.#ending !== undefined) return;
    if (event.type === 'ending') {
      this.#end(event);
      return;
    }
    this.stream.push(event);
    // It has ended here, and must be stopped there.
    if (this.stream.overflowed) this.#end({ type: 'ending', ending: interruptedEnding });
  }

  lostEvents(): void {
    this.#state = afterGap(this.#state);
  }

  /** The messages of the session as they are now, for what was not heard. */
  catchUp(messages: unknown): void {
    for (const { info, parts } of objects(messages)) {
      const sessionID = this.#state.sessionId;
      const about = (properties: JsonObject) => ({ sessionID, ...properties });
      this.take({ type: 'message.updated', properties: about({ info }) }, '');
      for (const part of objects(parts)) {
        this.take({ type: 'message.part.updated', properties: about({ part }) }, '');
      }
    }
  }

  /** Ends the turn if it has not ended: with what is known, or as given. */
  conclude(ending?: TurnEnding['ending']): void {
    const [state, events] = concludeTurn(this.#state, ending);
    this.#state = state;
    for (const event of events) this.tell(event);
  }

  /** Gives out the ending. */
  close(): void {
    this.conclude();
    if (this.#ending === undefined) return;
    this.stream.push(this.interrupted ? interruption(this.#ending) : this.#ending);
  }

  #answered(id: string, reply: string): void {
    this.#taken(id, reply !== '');
    const [state, events] = wasTold(this.#state, id, reply);
    this.#state = state;
    for (const event of events) this.tell(event);
  }

  #taken(id: string, taken: boolean): void {
    this.#telling.get(id)?.(taken);
    this.#telling.delete(id);
  }

  #end(ending: TurnEnding): void {
    this.#ending = ending;
    this.#settleEnded();
  }
}

function same(event: LiveEvent): LiveEvent {
  return event;
}

/** A turn that was told to stop ends as interrupted, also where its last word came first; a crash stays a crash. */
function interruption(known: TurnEnding): TurnEnding {
  const crashed = known.ending.type === 'failed' && known.ending.code === 'crashed';
  if (crashed) return known;
  return { type: 'ending', ending: interruptedEnding };
}
