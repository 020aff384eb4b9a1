import { TurnoutError } from '../core/errors.js';

/**
 * Calls a turn off before it has begun: by the caller's signal or by `abort`. What has to wait gets a signal for it, and
 * only then is one made, since most turns don't wait.
 */
export class CallOff {
  readonly #given: AbortSignal | undefined;
  #called = false;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;

  constructor(given?: AbortSignal) {
    this.#given = given;
  }

  get aborted(): boolean {
    return this.#called || this.#given?.aborted === true;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#makeSignal();
    return this.#signal;
  }

  abort(): void {
    this.#called = true;
    this.#controller?.abort();
  }

  /** Throws when it was called off. */
  check(): void {
    if (this.aborted) throw new TurnoutError('interrupted', 'Interrupted');
  }

  #makeSignal(): AbortSignal {
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#called) controller.abort();
    return this.#given === undefined ? controller.signal : AbortSignal.any([this.#given, controller.signal]);
  }
}
