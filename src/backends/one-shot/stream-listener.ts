import { inspectThrown } from '../../core/describe-thrown.js';
import { type Deadline, setDeadline } from '../../core/wait.js';
import type { StreamCallback } from '../types.js';

/**
 * Hands pieces of text to the caller's `onStream`, one after the other (R1.2). Its failures are the caller's: they change
 * nothing about the turn, and a warning of this process tells of the first one. A call that has not settled when the time of
 * the turn is up is not waited for any longer, and is the last one.
 */
export class StreamListener {
  readonly #onStream: StreamCallback;
  readonly #limit: Deadline | undefined;
  #timeIsUp = false;
  #givenUp = false;
  #warned = false;
  /** Ends the wait for the call that has not settled. */
  #goOn: (() => void) | undefined;

  /** If `limitMs` is 0, calls are waited for without a limit. */
  constructor(onStream: StreamCallback, limitMs: number) {
    this.#onStream = onStream;
    if (limitMs > 0) {
      this.#limit = setDeadline(limitMs, () => {
        this.#timeIsUp = true;
        if (this.#goOn !== undefined) this.#giveUp();
      });
    }
  }

  /** The promise, if there is one, never rejects. */
  hear(text: string): Promise<void> | undefined {
    if (this.#givenUp) return undefined;
    try {
      const done: unknown = this.#onStream(text);
      if (typeof done === 'object' && done !== null) return this.#settled(done);
    } catch (error) {
      this.#warn(`onStream failed, and the turn went on: ${inspectThrown(error)}`, error);
    }
    return undefined;
  }

  close(): void {
    this.#limit?.cancel();
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
          this.#warn(`onStream failed, and the turn went on: ${inspectThrown(error)}`, error),
        )
        .then(goOn);
      if (this.#timeIsUp) this.#giveUp();
    });
  }

  #giveUp(): void {
    this.#givenUp = true;
    this.#warn('onStream had not settled when the time of the turn was up, and got nothing more of it');
    this.#goOn?.();
  }

  #warn(message: string, cause?: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const warning = new Error(message, cause === undefined ? undefined : { cause });
    process.emitWarning(Object.assign(warning, { name: 'TurnoutWarning', code: 'TURNOUT_ON_STREAM' }));
  }
}
