import type { Writable } from 'node:stream';
import { TurnoutError } from '../core/errors.js';

/** What the child gets on stdin: a text after which it is closed, a pipe that stays open, or nothing at all. */
export type Input = { readonly text: string | Uint8Array } | 'open';

/** The write end of a child's stdin. A child that leaves without reading is no failure of ours: its exit tells the story. */
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

  /** Resolves when the pipe has taken all of it. */
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

  /** Settles what is still being written: a grandchild may hold the read end open without ever reading. */
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
