import { Fifo } from './fifo.js';

/**
 * Events that are pushed by one side and iterated by the other, once. A reader that does not keep up makes the queue
 * grow; past its limit the queue says so through `push` and takes nothing more.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #items = new Fifo<T>();
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #limit: number;

  constructor(limit = 1_000_000) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#items.length;
  }

  /** `false`: the queue is full or has ended, and the event was not taken. */
  push(item: T): boolean {
    if (this.#ended || this.length >= this.#limit) return false;
    this.#items.push(item);
    this.#wake?.();
    return true;
  }

  /** Nothing comes after what has been pushed. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#items.length > 0) yield this.#items.shift() as T;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
