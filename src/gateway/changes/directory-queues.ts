import { interruptedError, TurnoutError } from '../../core/errors.js';
import { maxWaiting } from './limits.js';

/**
 * Runs one task at a time for each directory: each starts several programs, and readers may come in numbers. Directories do not wait
 * for each other.
 */
export class DirectoryQueues {
  /** Lets in those that wait, in their order. A directory is there while a task of it runs. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Rejects with `overloaded` if too many wait already, and with `interrupted` if the signal is aborted before the task begins. */
  async run<T>(directory: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(directory, signal);
    try {
      return await task();
    } finally {
      const next = this.#waiting.get(directory)?.shift();
      if (next === undefined) this.#waiting.delete(directory);
      else next();
    }
  }

  async #enter(directory: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw interruptedError();
    const waiting = this.#waiting.get(directory);
    if (waiting === undefined) {
      this.#waiting.set(directory, []);
      return;
    }
    if (waiting.length >= maxWaiting)
      throw new TurnoutError('overloaded', `${maxWaiting} requests wait for the changes in ${directory}.`, {
        hint: 'Try again in a few seconds.',
      });
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(interruptedError());
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(enter);
    });
  }
}
