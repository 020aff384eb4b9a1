/** Holds items that arrive beside a stream until they are taken. */
export class Aside<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  take(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Resolves when there is something to take. */
  arrival(): Promise<void> {
    if (this.#items.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Yields the items of `main`, and between them the items of `aside` as soon as they arrive. */
export async function* interleave<T, A>(
  main: AsyncIterable<T>,
  aside: Aside<A>,
): AsyncGenerator<{ readonly main?: T; readonly aside?: readonly A[] }> {
  const iterator = main[Symbol.asyncIterator]();
  let waiting = false;
  try {
    for (let next: Promise<IteratorResult<T>> | undefined; ; ) {
      next ??= iterator.next();
      waiting = true;
      const first = await Promise.race([next, aside.arrival()]);
      const items = aside.take();
      if (items.length > 0) yield { aside: items };
      if (first === undefined) continue;
      waiting = false;
      next = undefined;
      if (first.done) return;
      yield { main: first.value };
    }
  } finally {
    const closed = iterator.return?.();
    // A generator closes only when its pending wait ends, and that may depend on the caller's next step: so a
    // pending close is not awaited.
    if (waiting) closed?.catch(() => undefined);
    else await closed;
  }
}
