/** One holder at a time for each key, in the order of asking. */
export class TurnLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whoever holds or awaits `from` holds `to` as well: a session's id became known in its first turn. */
  alias(from: string, to: string): void {
    const tail = this.#tails.get(from);
    if (tail === undefined || from === to) return;
    this.#follow(
      to,
      Promise.all([tail, this.#tails.get(to)]).then(() => undefined),
    );
  }

  /** The release, where nobody holds or awaits the key. */
  tryAcquire(key: string): (() => void) | undefined {
    return this.#tails.has(key) ? undefined : this.#hold(key, undefined);
  }

  /** Resolves with the release once it is the caller's turn; rejects with the signal's reason. */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(key);
    const release = this.#hold(key, before);
    try {
      await abortable(before ?? Promise.resolve(), signal);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  #hold(key: string, before: Promise<void> | undefined): () => void {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#follow(key, before === undefined ? held : before.then(() => held));
    return release;
  }

  #follow(key: string, tail: Promise<void>): void {
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
  }
}

/** The promise, or the signal's reason if that comes first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
