const firstDelayMs = 1000;
export const longestShortageMs = 30_000;

/**
 * Knows that the machine had nothing left to start an agent with: no file descriptor, process, memory or disk space. That
 * is no turn's fault, so it counts as no attempt. The messages wait, for longer each time.
 */
export class Shortage {
  readonly #now: () => number;
  #times = 0;
  #shownUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Must be called when a turn could not be started. Returns the time that its message waits. */
  met(): number {
    const delay = Math.min(firstDelayMs * 2 ** this.#times, longestShortageMs);
    this.#times += 1;
    // The message may be stopped while it waits: then nobody tells that the shortage is over.
    this.#shownUntil = this.#now() + 2 * delay;
    return delay;
  }

  /** Must be called when a turn could be started. */
  over(): void {
    this.#times = 0;
    this.#shownUntil = 0;
  }

  get problem(): string | undefined {
    if (this.#now() >= this.#shownUntil) return undefined;
    return 'The machine has no file descriptor, process, memory or disk space left to start an agent: messages wait, and are tried again.';
  }
}
