import { abortError, interruptedError, type TurnoutError } from '../core/errors.js';

/**
 * Cancels a turn before it has begun, by the caller's signal or by `abort`. The signal to wait with is made
 * on first use, since most turns don't wait.
 */
export class Cancellation {
  readonly #given: AbortSignal | undefined;
  #reason: TurnoutError | undefined;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #onGivenAbort: (() => void) | undefined;

  constructor(given?: AbortSignal) {
    this.#given = given;
  }

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  get reason(): TurnoutError | undefined {
    return this.#reason ?? (this.#given?.aborted ? abortError(this.#given) : undefined);
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#makeSignal();
    return this.#signal;
  }

  abort(reason: TurnoutError = interruptedError()): void {
    this.#reason ??= this.reason ?? reason;
    this.#controller?.abort(this.#reason);
  }

  /** Throws the reason if the turn was cancelled. */
  check(): void {
    if (this.reason !== undefined) throw this.reason;
  }

  /** Lets go of the caller's signal, which may live much longer than the turn. */
  release(): void {
    if (this.#onGivenAbort !== undefined) this.#given?.removeEventListener('abort', this.#onGivenAbort);
  }

  /** Not `AbortSignal.any`: on Node 20 a weak reference to each one stays for as long as the given signal lives. */
  #makeSignal(): AbortSignal {
    const controller = new AbortController();
    this.#controller = controller;
    const { reason } = this;
    if (reason !== undefined) controller.abort(reason);
    this.#onGivenAbort = () => controller.abort(this.reason);
    this.#given?.addEventListener('abort', this.#onGivenAbort, { once: true });
    return controller.signal;
  }
}
