import { interruptedMessage } from '../../core/chat-event.js';
import { Fifo } from '../../core/fifo.js';
import type { LiveEvent, LiveEvents, TurnEnding } from './types.js';

/** The weight that the events which a reader has not taken yet may have together, for every CLI; a character counts as a byte. */
export const maxUnreadBytes = 32 * 1024 * 1024;

export interface TurnStreamOptions {
  /** Called by the reader's first step: makes the events come. */
  readonly begin?: () => void;
  /** Called once if the reader leaves after its first step and before the end. */
  readonly leave?: () => void;
  /**
   * True where the producer has a pipe of its own and waits for `room()`: then nothing is ever dropped. The others share
   * their pipe with further sessions, which must not wait for one slow reader: past the limit their turn overflows.
   */
  readonly pausable?: boolean;
}

/**
 * The events of one turn on their way to its reader, who may be slow, and may leave. Iterated once, by one reader.
 *
 * It is `open` until its ending has come (`over`). One that is not pausable and whose reader falls behind by
 * `maxUnreadBytes` becomes `overflowed`: it takes nothing more but its ending, which then says so. Its producer is to
 * stop the turn. Leaving is independent of that: what was not read, and what still comes, is forgotten.
 *
 * An iterator written by hand: an event costs its reader one promise, a generator's several.
 */
export class TurnStream implements AsyncIterableIterator<LiveEvent, void, void>, LiveEvents {
  /** Resolves when the ending has come, read or not. */
  readonly over: Promise<void>;
  readonly #options: TurnStreamOptions;
  readonly #events = new Fifo<LiveEvent>();
  #unreadBytes = 0;
  #state: 'open' | 'overflowed' | 'over' = 'open';
  #begun = false;
  #left = false;
  #settle: () => void = () => {};
  #waiting: ((result: IteratorResult<LiveEvent, void>) => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(options: TurnStreamOptions = {}) {
    this.#options = options;
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  get overflowed(): boolean {
    return this.#state === 'overflowed';
  }

  /** True when the reader has left. */
  get isLeft(): boolean {
    return this.#left;
  }

  /** False when the event was not taken: the stream is over, or has overflowed. An ending ends the stream. */
  push(event: LiveEvent): boolean {
    if (this.#state === 'over') return false;
    if (event.type === 'ending') {
      this.#keep(this.overflowed ? fellBehind : event);
      this.#state = 'over';
      this.#settle();
    } else {
      if (!this.#options.pausable && this.#unreadBytes >= maxUnreadBytes) this.#state = 'overflowed';
      if (this.overflowed) return false;
      this.#keep(event);
    }
    this.#deliver();
    return true;
  }

  /** Undefined while there is room for more, else a promise that resolves when there is again. */
  room(): Promise<void> | undefined {
    if (this.#unreadBytes < maxUnreadBytes || this.#left || this.isOver) return undefined;
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Whoever waits for room waits no longer: a turn that is being stopped need not wait for its reader. */
  stopWaitingForRoom(): void {
    this.#drained?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LiveEvent, void>> {
    if (!this.#begun && !this.#left) {
      this.#begun = true;
      this.#options.begin?.();
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
      if (startsBatch(event, events.at(-1) ?? last)) break;
      events.push(event);
      this.#shift();
    }
    return events;
  }

  return(): Promise<IteratorResult<LiveEvent, void>> {
    const early = this.#begun && !this.#left && !this.isOver;
    this.#left = true;
    this.#events.clear();
    this.#unreadBytes = 0;
    this.#drained?.();
    this.#deliver();
    if (early) this.#options.leave?.();
    return Promise.resolve(done);
  }

  #keep(event: LiveEvent): void {
    if (this.#left) return;
    this.#events.push(event);
    this.#unreadBytes += bytesOf(event);
  }

  #deliver(): void {
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
    this.#unreadBytes -= bytesOf(event);
    if (this.#events.length === 0) this.#drained?.();
    return event;
  }
}

const fellBehind: TurnEnding = {
  type: 'ending',
  ending: {
    type: 'failed',
    code: 'interrupted',
    message: `${interruptedMessage}: the reader of the turn fell ${maxUnreadBytes / 1024 ** 2} MiB behind its events`,
  },
};

/**
 * True for an event that a reader gets only when all before it has been read: a question's clock, or the end of all
 * clocks, begins then. The end may begin with the usage; then the ending comes along.
 */
function startsBatch({ type }: LiveEvent, behind: LiveEvent): boolean {
  if (type === 'ending') return behind.type !== 'usage';
  return type === 'permission_request' || type === 'usage';
}

/** The memory that an event takes, roughly. */
function bytesOf(event: LiveEvent): number {
  switch (event.type) {
    case 'text':
    case 'thinking':
      return overhead + event.text.length;
    case 'tool_end':
      return overhead + event.output.length;
    case 'tool_start':
    case 'permission_request':
      return overhead + bytesOfValue(event.input);
    case 'notice':
      return overhead + event.message.length + (event.raw?.length ?? 0);
    case 'ending':
      return (
        overhead + (event.ending.type === 'failed' ? event.ending.message : (event.ending.text ?? '')).length
      );
    default:
      return overhead;
  }
}

const overhead = 200;

/** Counts without recursion: a tool's input may be nested deeper than the stack. */
function bytesOfValue(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  for (let item = open.pop(); open.length > 0 || item !== undefined; item = open.pop()) {
    if (typeof item === 'string') bytes += item.length;
    else if (typeof item === 'object' && item !== null) {
      for (const [key, inner] of Object.entries(item)) {
        bytes += key.length + 16;
        if (inner !== undefined) open.push(inner);
      }
    }
  }
  return bytes;
}

const done = { value: undefined, done: true } as const;
