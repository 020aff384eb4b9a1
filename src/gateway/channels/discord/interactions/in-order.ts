/** Runs what concerns the same thing one after the other, in the order in which it was asked for. */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(job, job);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return done;
  }

  /** Resolves when everything that was asked for so far has been done. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
