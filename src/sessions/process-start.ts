import { TurnoutError } from '../core/errors.js';
import { abortable } from '../core/wait.js';

/**
 * Something that is being started, for one or for several. When nobody waits for it any more it is called off: a CLI that
 * hangs must not live on for no one.
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

  /** It has ended, or is about to: of no use to those who come now. */
  get cancelled(): boolean {
    return this.#cancellation.signal.aborted;
  }

  /** Rejects with the signal's reason when that comes first. */
  async wait(signal?: AbortSignal): Promise<Started> {
    this.#waiting += 1;
    try {
      return await abortable(this.started, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.cancel('Nobody waits for it any more.');
    }
  }

  /** Without effect once it has started. */
  cancel(why: string): void {
    if (!this.#over) this.#cancellation.abort(new TurnoutError('interrupted', why));
  }
}
