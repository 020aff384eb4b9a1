import { Fifo } from '../../core/fifo.js';

interface Limits<T> {
  /** From this weight on nothing more is taken. */
  readonly limit?: number;
  /** Every item weighs 1 unless told otherwise. */
  readonly weightOf?: (item: T) => number;
}

type Result<T> = IteratorResult<T, void>;

/**
 * Events that are pushed by one side and iterated by the other, once. A reader that does not keep up makes the queue
 * grow; past its limit the queue says so through `push` and takes nothing more.
 *
 * An iterator written by hand: an item costs its reader one promise, a generator's several.
 */
export class EventQueue<T> implements AsyncIterableIterator<T, void, void> {
  readonly #items = new Fifo<T>();
  readonly #limit: number;
  readonly #weightOf: (item: T) => number;
  readonly #waiting: ((result: Result<T>) => void)[] = [];
  #weight = 0;
  #ended = false;
  #left = false;

  constructor({ limit = 1_000_000, weightOf = () => 1 }: Limits<T> = {}) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  /** `false`: the queue is full or has ended, and the event was not taken. */
  push(item: T): boolean {
    if (this.#ended || this.#weight >= this.#limit) return false;
    this.#add(item);
    return true;
  }

  /** Nothing comes after what has been pushed, or after this last item, for which there is always room. */
  end(last?: T): void {
    if (this.#ended) return;
    if (last !== undefined) this.#add(last);
    this.#ended = true;
    this.#dismiss();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    if (this.#items.length > 0) {
      const value = this.#items.shift() as T;
      this.#weight -= this.#weightOf(value);
      return Promise.resolve({ value, done: false });
    }
    if (this.#ended || this.#left) return Promise.resolve(done);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The reader leaves: what was not read, and what still comes, is forgotten. */
  return(): Promise<Result<T>> {
    this.#left = true;
    this.#items.clear();
    this.#weight = 0;
    this.#dismiss();
    return Promise.resolve(done);
  }

  #add(item: T): void {
    if (this.#left) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader({ value: item, done: false });
      return;
    }
    this.#items.push(item);
    this.#weight += this.#weightOf(item);
  }

  #dismiss(): void {
    for (const reader of this.#waiting.splice(0)) reader(done);
  }
}

const done = { value: undefined, done: true } as const;
