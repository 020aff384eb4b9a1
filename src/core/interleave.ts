/** Things that happen beside a stream, waiting to be taken. */
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

/** The items of `main`, and between them what came in `aside`, as soon as it came. */
export async function* interleave<T, A>(
  main: AsyncIterable<T>,
  aside: Aside<A>,
): AsyncGenerator<{ readonly main?: T; readonly aside?: readonly A[] }> {
  const iterator = main[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const first = await Promise.race([next, aside.arrival()]);
      const items = aside.take();
      if (items.length > 0) yield { aside: items };
      if (first === undefined) continue;
      if (first.done) return;
      yield { main: first.value };
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}
