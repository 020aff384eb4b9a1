import { Fifo } from '../../../core/fifo.js';
import type { LiveEvent, LiveEvents } from '../../live/types.js';

/**
 * The events of one turn on their way to its reader, who may be slow, and may leave. Iterated once, by one reader, whose
 * first step begins the turn.
 */
export class TurnChannel implements AsyncIterableIterator<LiveEvent, void, void>, LiveEvents {
  /** What its message carries, where it needs to be told from others. */
  id: string | undefined;
  /** Resolves when the turn's ending has come, read or not. */
  readonly over: Promise<void>;
  isOver = false;
  /** It is to stop. */
  stopped = false;
  readonly #begin: () => void;
  #begun = false;
  readonly #events = new Fifo<LiveEvent>();
  #weight = 0;
  #left = false;
  #finish: () => void = () => {};
  #waiting: ((result: IteratorResult<LiveEvent, void>) => void) | undefined;
  #drained: (() => void) | undefined;

  /** `begin` is to make the events come. */
  constructor(begin: () => void) {
    this.#begin = begin;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  push(events: readonly LiveEvent[]): void {
    for (const event of events) {
      if (this.isOver) return;
      if (event.type === 'ending') this.isOver = true;
      if (this.#left) continue;
      this.#events.push(event);
      this.#weight += weightOf(event);
    }
    if (this.isOver) this.#finish();
    this.#look();
  }

  /** A promise while there is no room; a turn that is to stop has no need to wait for its reader. */
  room(): Promise<void> | undefined {
    if (this.#weight <= maxWeight || this.#left || this.stopped) return undefined;
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  stop(): void {
    this.stopped = true;
    this.#drained?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LiveEvent, void>> {
    if (!this.#begun) {
      this.#begun = true;
      this.#begin();
    }
    const result = this.#result();
    if (result !== undefined) return Promise.resolve(result);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  takeBuffered(last: LiveEvent): readonly LiveEvent[] {
    const events: LiveEvent[] = [];
    for (let event = this.#events.first; event !== undefined; event = this.#events.first) {
      if (wantsAWord(event, events.at(-1) ?? last)) break;
      events.push(event);
      this.#shift();
    }
    return events;
  }

  return(): Promise<IteratorResult<LiveEvent, void>> {
    this.#left = true;
    this.#events.clear();
    this.#drained?.();
    this.#look();
    return Promise.resolve(done);
  }

  #look(): void {
    const resolve = this.#waiting;
    const result = resolve && this.#result();
    if (resolve === undefined || result === undefined) return;
    this.#waiting = undefined;
    resolve(result);
  }

  #result(): IteratorResult<LiveEvent, void> | undefined {
    const event = this.#shift();
    if (event === undefined) return this.isOver || this.#left ? done : undefined;
    return { value: event, done: false };
  }

  #shift(): LiveEvent | undefined {
    const event = this.#events.shift();
    if (event === undefined) return undefined;
    this.#weight -= weightOf(event);
    if (this.#events.length === 0) this.#drained?.();
    return event;
  }
}

const done = { value: undefined, done: true } as const;

/** A reader gets it only when all before it has been read: its clock, or the end of all clocks, begins then. */
function wantsAWord({ type }: LiveEvent, behind: LiveEvent): boolean {
  if (type === 'ending') return behind.type !== 'usage';
  return type === 'permission_request' || type === 'usage';
}

const maxWeight = 4 * 1024 * 1024;

function weightOf(event: LiveEvent): number {
  if (event.type === 'text' || event.type === 'thinking') return 64 + event.text.length;
  if (event.type === 'tool_end') return 64 + event.output.length;
  return 256;
}
