import type { StepEvent } from '../../core/chat-event.js';
import { type Ending, isUnknown, unknownLine } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { countsElsewhere, isNamedSession, isSameSession, otherSession } from '../output/resumed-session.js';
import { type JsonItem, JsonLines } from './json-lines.js';

/** The fields that every decoder's state has. */
export interface TurnFacts {
  readonly sessionId?: string | undefined;
  readonly ending?: Ending | undefined;
  /** The CLI's version, where its output shows it. */
  readonly version?: string | undefined;
}

export type Step<S> = readonly [state: S, events: readonly StepEvent[]];

/** Decodes one vendor's one-shot output, as a pure step over the JSON objects that the CLI prints. */
export interface WireDecoder<S extends TurnFacts> {
  readonly initial: S;
  step(state: S, value: JsonObject, raw: string): Step<S>;
  /** Returns the fields that `step` needs of a line with a known beginning; other lines are parsed. */
  readKnownLine?(raw: string): JsonObject | undefined;
  /** Called at the end of the output, to add an ending that follows only from all of it. */
  finish?(state: S): S;
  /** True if there is an ending, but the CLI is known to be still at work, and may reach another one. */
  goesOn?(state: S): boolean;
}

/** The session that a run is to resume. */
export interface ResumedSession {
  readonly id: string;
  /** The vendor's name in the message of a failure. */
  readonly label: string;
  /** True if the CLI finds a session by other words than its id, too. */
  readonly byName?: boolean | undefined;
}

/**
 * Feeds the lines of one process to a decoder. If the run resumes a session, the first id that the CLI prints has to be that
 * session's: otherwise the turn has failed, whatever follows, and is to be stopped.
 */
export class LineDecoder<S extends TurnFacts> {
  state: S;
  readonly #decoder: WireDecoder<S>;
  readonly #lines = new JsonLines();
  readonly #resumed: ResumedSession | undefined;
  /** The ending of a run that works in another session than the one to resume. */
  #elsewhere: Ending | undefined;
  /** True once the decoder has understood a line. */
  understood = false;

  constructor(decoder: WireDecoder<S>, resumed?: ResumedSession) {
    this.#decoder = decoder;
    this.#resumed = resumed;
    this.state = decoder.initial;
  }

  /** True when the CLI has reported the result of the turn and has only to exit. */
  get isOver(): boolean {
    return this.state.ending !== undefined && this.#decoder.goesOn?.(this.state) !== true;
  }

  /** True if the turn must not go on: the process is to be ended now. */
  get mustStop(): boolean {
    return this.#elsewhere !== undefined;
  }

  line(text: string): readonly StepEvent[] {
    const known = this.#lines.isMidway ? undefined : this.#decoder.readKnownLine?.(text);
    return known === undefined ? this.#take(this.#lines.push(text)) : this.#one({ value: known, raw: text });
  }

  end(): readonly StepEvent[] {
    const events = this.#take(this.#lines.end());
    if (this.#decoder.finish) this.#become(this.#decoder.finish(this.state));
    return events;
  }

  #take(items: readonly JsonItem[]): readonly StepEvent[] {
    const only = items[0];
    if (items.length === 1 && only !== undefined) return this.#one(only);
    return items.flatMap((item) => this.#one(item));
  }

  #one(item: JsonItem): readonly StepEvent[] {
    if (item.value === undefined) return [unknownLine('A line that is not JSON', item.raw)];
    const [state, events] = this.#decoder.step(this.state, item.value, item.raw);
    if (state !== this.state || events.length === 0 || !events.every(isUnknown)) this.understood = true;
    this.#become(state);
    return this.mustStop ? events.filter(countsElsewhere) : events;
  }

  #become(state: S): void {
    const told = state.sessionId;
    if (this.state.sessionId === undefined && told !== undefined && this.#resumed !== undefined) {
      const { id, label, byName } = this.#resumed;
      const message = otherSession(label, id, told);
      const isResumed = byName ? isNamedSession(id, told) : isSameSession(id, told);
      if (!isResumed) this.#elsewhere = { type: 'failed', code: 'session_not_found', message };
    }
    this.state = this.#elsewhere === undefined ? state : { ...state, ending: this.#elsewhere };
  }
}
