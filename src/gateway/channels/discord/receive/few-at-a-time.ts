/** Runs a few tasks at a time, in the order in which they come. One that is urgent waits for no other. */
export class FewAtATime {
  readonly #most: number;
  readonly #waiting = new Map<string, () => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Two tasks with the same key must not wait at the same time. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    try {
      return await task();
    } finally {
      this.#running--;
      const [next] = this.#waiting.keys();
      if (next !== undefined && this.#running < this.#most) this.hurry(next);
    }
  }

  /** Begins a task that waits, also beyond the limit. */
  hurry(key: string): void {
    const begin = this.#waiting.get(key);
    if (begin === undefined) return;
    this.#waiting.delete(key);
    this.#running++;
    begin();
  }

  hurryAll(): void {
    for (const key of [...this.#waiting.keys()]) this.hurry(key);
  }
}
