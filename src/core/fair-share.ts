/**
 * Synchronous work of many, cut by time: all of them together work for `shareMs`, then everything else in the process has its
 * turn. Each asks before every piece of its work.
 */
export class FairShare {
  readonly #shareMs: number;
  #until = 0;
  /** Resolves when everything else has had its turn. */
  #others: Promise<void> | undefined;

  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** Undefined while there is time left. Otherwise the caller waits; those that wait go on in the order in which they came. */
  take(): Promise<void> | undefined {
    if (this.#others === undefined) this.#begin();
    return performance.now() < this.#until ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    while (this.#others !== undefined && performance.now() >= this.#until) await this.#others;
    if (this.#others === undefined) this.#begin();
  }

  #begin(): void {
    this.#until = performance.now() + this.#shareMs;
    this.#others = new Promise((resolve) => {
      setImmediate(() => {
        this.#others = undefined;
        resolve();
      });
    });
  }
}
