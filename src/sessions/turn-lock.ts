/** One holder at a time for each key, in the order of asking. */
export class TurnLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves with the release once it is the caller's turn; rejects with the signal's reason. */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before.then(() => held);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    try {
      await abortable(before, signal);
      return release;
    } catch (error) {
      release();
      throw error;
    }
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
