import { TurnoutError } from '../core/errors.js';
import { abortable } from '../core/wait.js';

/**
 * A start that one or several callers wait for. If the last of them gives up, the start is cancelled, so that
 * a CLI that hangs does not live on for nobody.
 */
export class ProcessStart<Started> {
  readonly key: string;
  readonly started: Promise<Started>;
  readonly #cancellation = new AbortController();
  #waiting = 0;
  #over = false;

  constructor(key: string, start: (signal: AbortSignal) => Promise<Started>) {
    this.key = key;
    this.started = start(this.#cancellation.signal).catch((error: unknown) => {
      throw this.cancelled ? this.#cancellation.signal.reason : error;
    });
    const over = () => {
      this.#over = true;
    };
    this.started.then(over, over);
  }

  /** True once the start was cancelled: new callers must not wait for it. */
  get cancelled(): boolean {
    return this.#cancellation.signal.aborted;
  }

  /** Rejects with the signal's reason if the signal is aborted first. */
  async wait(signal?: AbortSignal): Promise<Started> {
    this.#waiting += 1;
    try {
      return await abortable(this.started, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.cancel('Nobody waits for it any more.');
    }
  }

  /** Cancels the start; without effect once it is over. */
  cancel(why: string): void {
    if (!this.#over) this.#cancellation.abort(new TurnoutError('interrupted', why));
  }
}
