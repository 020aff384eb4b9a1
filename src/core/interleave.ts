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
    // A generator closes only when what it waits for has come, which may need what the one who leaves does next.
    if (waiting) closed?.catch(() => undefined);
    else await closed;
  }
}
