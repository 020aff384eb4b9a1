/**
 * One timer for the clocks of a session's turns. It is set for the one that is due first, and nobody sets it back: when
 * it rings too early, or after the turn, whoever listens looks again. So most turns set no timer at all.
 *
 * It keeps no program alive: the CLI's process does.
 */
export class Alarm {
  #ring: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ringsAt = Number.POSITIVE_INFINITY;

  /** Rings for this one only, until the next one listens. */
  listen(ring: () => void): void {
    this.#ring = ring;
  }

  ignore(): void {
    this.#ring = undefined;
  }

  /** To ring at this time of `performance.now()`, or before. */
  setFor(at: number): void {
    if (at >= this.#ringsAt) return;
    clearTimeout(this.#timer);
    this.#ringsAt = at;
    const ms = Math.min(Math.max(1, at - performance.now()), longestTimer);
    this.#timer = setTimeout(() => {
      this.#ringsAt = Number.POSITIVE_INFINITY;
      this.#ring?.();
    }, ms).unref();
  }

  cancel(): void {
    this.#ring = undefined;
    this.#ringsAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }
}

/** What `setTimeout` can take. */
const longestTimer = 2 ** 31 - 1;
