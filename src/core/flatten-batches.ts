/**
 * The items of a generator of batches, one by one. Nested async generators cost several promises for each
 * item; this costs one, which is what makes a turn with millions of events as fast as reading its lines.
 */
export function flattenBatches<T>(batches: AsyncGenerator<readonly T[]>): AsyncGenerator<T> {
  let batch: readonly T[] = [];
  let at = 0;

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

  return {
    next() {
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
      batch = [];
      at = 0;
      await batches.return(undefined);
      return { value, done: true };
    },
    async throw(error) {
      batch = [];
      at = 0;
      await batches.return(undefined);
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
