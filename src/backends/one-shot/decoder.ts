import type { StepEvent } from '../../core/chat-event.js';
import { type Ending, isUnknown, unknownLine } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { type JsonItem, JsonLines } from './json-lines.js';

/** What every decoder's state has, beside its own. */
export interface TurnFacts {
  readonly sessionId?: string | undefined;
  readonly ending?: Ending | undefined;
}

export type Step<S> = readonly [state: S, events: readonly StepEvent[]];

/** One vendor's one-shot output as a pure step over the JSON objects that it prints. */
export interface WireDecoder<S extends TurnFacts> {
  readonly initial: S;
  step(state: S, value: JsonObject, raw: string): Step<S>;
  /** What the step needs of a line that is known by its beginning; the others are parsed. */
  readKnownLine?(raw: string): JsonObject | undefined;
  /** At the end of the output: what is still to be concluded. */
  finish?(state: S): S;
  /** There is an ending, but the CLI is known to be still at work, and may come to another one. */
  goesOn?(state: S): boolean;
}

/** Feeds the lines of one process to a decoder. */
export class LineDecoder<S extends TurnFacts> {
  state: S;
  readonly #decoder: WireDecoder<S>;
  readonly #lines = new JsonLines();
  /** Did anything come that the decoder knows? */
  understood = false;

  constructor(decoder: WireDecoder<S>) {
    this.#decoder = decoder;
    this.state = decoder.initial;
  }

  /** The CLI has said what the turn came to: nothing is left to it but to exit. */
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
