/** Yields batches one after the other; `undefined` follows the last one. */
export interface BatchSource<T> {
  next(): Promise<readonly T[] | undefined>;
}

/**
 * Yields the items of a generator of batches, one by one. Nested async generators cost several promises for
 * each item; this costs one, so a turn with millions of events is as fast as reading its lines. If the
 * generator yields a source, that source's batches follow directly, until it is exhausted.
 *
 * A generator that is waiting takes no `return` until its wait is over. If the reader leaves at such a
 * moment, or while a source is pending, `stop` is called to end that wait.
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
  /** The number of callers without an answer. Callers that don't await each `next` are served in order. */
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
          // An error of the source is thrown into the generator that yielded it.
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

  /** Answers the callers that wait, then closes the generator. */
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
