import { Fifo } from './fifo.js';

/**
 * Synchronous work of many, cut by time: all of them together work for `shareMs`, then everything else in the process has its
 * turn. Each asks before every piece of its work.
 */
export class FairShare {
  readonly #shareMs: number;
  readonly #waiting = new Fifo<() => void>();
  #until = 0;
  /** True from the first piece of work until everything else has had its turn. */
  #begun = false;

  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** Undefined while there is time left. Otherwise the caller waits; those that wait go on in the order in which they came. */
  take(): Promise<void> | undefined {
    if (this.#waiting.length === 0) {
      if (!this.#begun) this.#begin();
      if (performance.now() < this.#until) return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#begun = true;
    this.#until = performance.now() + this.#shareMs;
    setImmediate(() => {
      this.#begun = false;
      if (this.#waiting.length > 0) void this.#serve();
    });
  }

  /** One after the other: woken together, all of them would find that there is time, and then work. */
  async #serve(): Promise<void> {
    this.#begin();
    do {
      this.#waiting.shift()?.();
      // It works before this goes on.
      await undefined;
    } while (this.#waiting.length > 0 && performance.now() < this.#until);
  }
}
