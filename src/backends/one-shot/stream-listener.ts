import { inspectThrown } from '../../core/describe-thrown.js';
import { type Deadline, setDeadline } from '../../core/wait.js';

/**
 * Hands pieces of a turn to a callback of the caller's, one after the other (R1.2). Its failures are the caller's: they change
 * nothing about the turn, and a warning of this process tells of the first one. A call that has not settled when the time of
 * the turn is up is not waited for any longer, and is the last one.
 */
export class StreamListener<T = string> {
  readonly #onStream: (piece: T) => unknown;
  readonly #name: string;
  readonly #limit: Deadline | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #stopWaiting = () => this.stopWaiting();
  #timeIsUp = false;
  #givenUp = false;
  #warned = false;
  /** Ends the wait for the call that has not settled. */
  #goOn: (() => void) | undefined;

  /** If `limitMs` is 0, calls are waited for until the turn is stopped by its signal. */
  constructor(
    onStream: (piece: T) => unknown,
    limitMs: number,
    signal: AbortSignal | undefined,
    name = 'onStream',
  ) {
    this.#onStream = onStream;
    this.#name = name;
    this.#signal = signal;
    if (limitMs > 0) this.#limit = setDeadline(limitMs, this.#stopWaiting);
    signal?.addEventListener('abort', this.#stopWaiting, { once: true });
  }

  /** The promise, if there is one, never rejects. */
  hear(piece: T): Promise<void> | undefined {
    if (this.#givenUp) return undefined;
    try {
      const done: unknown = this.#onStream(piece);
      if (typeof done === 'object' && done !== null) return this.#settled(done);
    } catch (error) {
      this.#warn(`${this.#name} failed, and the turn went on: ${inspectThrown(error)}`, error);
    }
    return undefined;
  }

  /** The turn is over: a call that has not settled, or does not settle from now on, is not waited for. */
  stopWaiting(): void {
    this.#timeIsUp = true;
    if (this.#goOn !== undefined) this.#giveUp();
  }

  close(): void {
    this.#limit?.cancel();
    this.#signal?.removeEventListener('abort', this.#stopWaiting);
  }

  #settled(done: object): Promise<void> {
    // A race with one promise for the time limit would leave something behind in it with every call.
    return new Promise((resolve) => {
      const goOn = () => {
        this.#goOn = undefined;
        resolve();
      };
      this.#goOn = goOn;
      Promise.resolve(done)
        .catch((error: unknown) =>
          this.#warn(`${this.#name} failed, and the turn went on: ${inspectThrown(error)}`, error),
        )
        .then(goOn);
      if (this.#timeIsUp) this.#giveUp();
    });
  }

  #giveUp(): void {
    this.#givenUp = true;
    this.#warn(`${this.#name} had not settled when the time of the turn was up, and got nothing more of it`);
    this.#goOn?.();
  }

  #warn(message: string, cause?: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const warning = new Error(message, cause === undefined ? undefined : { cause });
    process.emitWarning(Object.assign(warning, { name: 'TurnoutWarning', code: 'TURNOUT_ON_STREAM' }));
  }
}
