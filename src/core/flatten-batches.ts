/**
 * The items of a generator of batches, one by one. Nested async generators cost several promises for each
 * item; this costs one, which is what makes a turn with millions of events as fast as reading its lines.
 *
 * A generator that waits for something takes no `return` until that has come. Where it is left at such a moment, `stop` is
 * called, to bring it about.
 */
export function flattenBatches<T>(
  batches: AsyncGenerator<readonly T[]>,
  stop: () => void = () => {},
): AsyncGenerator<T> {
  let batch: readonly T[] = [];
  let at = 0;
  let left = false;

  async function refill(): Promise<IteratorResult<T>> {
    for (;;) {
      const next = await batches.next();
      if (next.done) return { value: undefined, done: true };
      const first = next.value[0];
      if (first === undefined) continue;
      batch = next.value;
      at = 1;
      return { value: first, done: false };
    }
  }

  // Callers that don't wait for one next() before the next are served in order.
  let last: Promise<unknown> | undefined;

  const take = () => {
    if (at >= batch.length) return refill();
    return Promise.resolve({ value: batch[at++] as T, done: false } as const);
  };

  const leave = async () => {
    left = true;
    batch = [];
    at = 0;
    if (last !== undefined) stop();
    await batches.return(undefined);
  };

  return {
    next() {
      if (left) return Promise.resolve({ value: undefined, done: true });
      if (last === undefined && at < batch.length) return take();
      const turn: Promise<IteratorResult<T>> = last === undefined ? refill() : last.then(take, take);
      const settled = () => {
        if (last === turn) last = undefined;
      };
      last = turn;
      void turn.then(settled, settled);
      return turn;
    },
    async return(value) {
      await leave();
      return { value, done: true };
    },
    async throw(error) {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
