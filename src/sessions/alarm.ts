import { type Deadline, setDeadline } from '../core/wait.js';

/**
 * One timer for the clocks of a session's turns. It is set for the clock that is due first and never moved
 * back: if it rings too early, the listeners check their clocks again; after the turn there are none. So most
 * turns set no timer at all.
 *
 * The timer does not keep the program alive: the CLI's process does.
 */
export class Alarm {
  readonly #listeners = new Set<() => void>();
  #deadline: Deadline | undefined;
  #ringsAt = Number.POSITIVE_INFINITY;

  listen(ring: () => void): void {
    this.#listeners.add(ring);
  }

  ignore(ring: () => void): void {
    this.#listeners.delete(ring);
  }

  /** Makes the alarm ring at this time of `performance.now()`, or before. */
  setFor(at: number): void {
    if (at >= this.#ringsAt) return;
    this.#deadline?.cancel();
    this.#ringsAt = at;
    this.#deadline = setDeadline(Math.max(1, at - performance.now()), () => {
      this.#ringsAt = Number.POSITIVE_INFINITY;
      for (const ring of this.#listeners) ring();
    }).unref();
  }

  cancel(): void {
    this.#listeners.clear();
    this.#ringsAt = Number.POSITIVE_INFINITY;
    this.#deadline?.cancel();
  }
}
