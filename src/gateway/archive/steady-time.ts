import { dayMs } from '../../core/format.js';

/**
 * The time of day for what can't be undone. A clock that was set forward by more than a day, or a machine that slept for so
 * long, is believed only when it is still so at the next look.
 */
export class SteadyTime {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  #last: { readonly now: number; readonly elapsed: number } | undefined;

  constructor(now: () => number = Date.now, elapsed: () => number = () => performance.now()) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Undefined if the clock has jumped forward since the last look. */
  look(): number | undefined {
    const last = this.#last;
    const now = this.#now();
    const elapsed = this.#elapsed();
    this.#last = { now, elapsed };
    if (last === undefined) return now;
    return now - last.now > elapsed - last.elapsed + dayMs ? undefined : now;
  }
}
