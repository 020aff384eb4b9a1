import type { Writable } from 'node:stream';
import { TurnoutError } from '../core/errors.js';

/** The child's stdin: a text after which it is closed, or a pipe that stays open. */
export type Input = { readonly text: string | Uint8Array } | 'open';

/** The write end of a child's stdin. If the child exits without reading, only its exit tells of it. */
export class InputWriter {
  readonly #command: string;
  readonly #stdin: Writable | null;

  constructor(command: string, stdin: Writable | null, input: Input | undefined) {
    this.#command = command;
    this.#stdin = stdin;
    // EPIPE, ECONNRESET and ERR_STREAM_DESTROYED all mean that the child is gone.
    stdin?.on('error', () => {});
    if (input !== undefined && input !== 'open') stdin?.end(input.text);
  }

  /** Resolves when the pipe has taken all of the data. */
  write(data: string): Promise<void> {
    const stdin = this.#stdin;
    if (stdin === null || stdin.writableEnded) {
      return Promise.reject(
        new TurnoutError('bad_request', `The input of ${this.#command} is not open for writing.`, {
          hint: "Start it with stdin: 'open', and write before closeInput().",
        }),
      );
    }
    return new Promise((resolve, reject) => {
      stdin.write(data, (error) => (error ? reject(this.#gone(error)) : resolve()));
    });
  }

  close(): void {
    this.#stdin?.end();
  }

  /** Settles pending writes: a grandchild may hold the read end open without ever reading. */
  childExited(): void {
    this.#stdin?.destroy();
  }

  #gone(cause: Error): TurnoutError {
    return new TurnoutError('crashed', `${this.#command} ended before it read its input.`, {
      hint: 'Its exit code and stderr say why.',
      cause,
    });
  }
}
