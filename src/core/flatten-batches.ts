/** Batches that come one after the other; undefined after the last one. */
export interface BatchSource<T> {
  next(): Promise<readonly T[] | undefined>;
}

/**
 * The items of a generator of batches, one by one. Nested async generators cost several promises for each item; this
 * costs one, which is what makes a turn with millions of events as fast as reading its lines. A generator can also hand
 * over a source, whose batches then come without it, until it is exhausted.
 *
 * A generator that waits for something takes no `return` until that has come. Where it is left at such a moment, or while
 * a source is waited for, `stop` is called, to bring it about.
 */
export function flattenBatches<T>(
  batches: AsyncGenerator<readonly T[] | BatchSource<T>>,
  stop: () => void = () => {},
): AsyncGenerator<T> {
  return new Flattened(batches, stop);
}

class Flattened<T> implements AsyncGenerator<T> {
  readonly #batches: AsyncGenerator<readonly T[] | BatchSource<T>>;
  readonly #stop: () => void;
  #source: BatchSource<T> | undefined;
  #batch: readonly T[] = [];
  #at = 0;
  #left = false;
  /** Callers that were not answered yet: those that don't wait for one `next` before the next are served in order. */
  #waiting = 0;
  #last: Promise<unknown> | undefined;

  constructor(batches: AsyncGenerator<readonly T[] | BatchSource<T>>, stop: () => void) {
    this.#batches = batches;
    this.#stop = stop;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#left) return Promise.resolve(done);
    if (this.#waiting > 0) return this.#queue();
    if (this.#at < this.#batch.length) return Promise.resolve(this.#take());
    const refilled = this.#refill();
    this.#last = refilled;
    return refilled;
  }

  async return(value: unknown): Promise<IteratorResult<T>> {
    await this.#leave();
    return { value, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<T>> {
    await this.#leave();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #queue(): Promise<IteratorResult<T>> {
    this.#waiting += 1;
    const take = async () => {
      this.#waiting -= 1;
      return this.#at < this.#batch.length ? this.#take() : this.#refill();
    };
    const served = this.#last?.then(take, take) ?? take();
    this.#last = served;
    return served;
  }

  #take(): IteratorResult<T> {
    const value = this.#batch[this.#at] as T;
    this.#at += 1;
    return { value, done: false };
  }

  async #refill(): Promise<IteratorResult<T>> {
    this.#waiting += 1;
    try {
      for (;;) {
        const source = this.#source;
        let batch: readonly T[] | undefined;
        try {
          batch = await (source === undefined ? this.#advance() : source.next());
        } catch (error) {
          if (source === undefined) throw error;
          // What a source throws, it throws into the generator.
          this.#source = undefined;
          batch = await this.#advance(this.#batches.throw(error));
        }
        if (batch === undefined) {
          if (this.#source === undefined) return done;
          this.#source = undefined;
        } else if (batch.length > 0) {
          this.#batch = batch;
          this.#at = 0;
          return this.#take();
        }
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  async #advance(step = this.#batches.next()): Promise<readonly T[] | undefined> {
    const { value, done } = await step;
    if (done) return undefined;
    if (!('next' in value)) return value;
    this.#source = value;
    return [];
  }

  /** Whoever waits is answered first, and the generator closed then. */
  async #leave(): Promise<void> {
    this.#left = true;
    if (this.#waiting > 0) {
      this.#stop();
      await this.#last?.catch(() => undefined);
    }
    this.#batch = [];
    this.#at = 0;
    await this.#batches.return(undefined);
  }
}

const done = { value: undefined, done: true } as const;
