import type { StepEvent } from '../../core/chat-event.js';
import { type Ending, isUnknown, unknownLine } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
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

/** Feeds the lines of one process to a decoder. */
export class LineDecoder<S extends TurnFacts> {
  state: S;
  readonly #decoder: WireDecoder<S>;
  readonly #lines = new JsonLines();
  /** True once the decoder has understood a line. */
  understood = false;

  constructor(decoder: WireDecoder<S>) {
    this.#decoder = decoder;
    this.state = decoder.initial;
  }

  /** True when the CLI has reported the result of the turn and has only to exit. */
  get isOver(): boolean {
    return this.state.ending !== undefined && this.#decoder.goesOn?.(this.state) !== true;
  }

  line(text: string): readonly StepEvent[] {
    const known = this.#lines.isMidway ? undefined : this.#decoder.readKnownLine?.(text);
    return known === undefined ? this.#take(this.#lines.push(text)) : this.#one({ value: known, raw: text });
  }

  end(): readonly StepEvent[] {
    const events = this.#take(this.#lines.end());
    if (this.#decoder.finish) this.state = this.#decoder.finish(this.state);
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
    this.state = state;
    return events;
  }
}
