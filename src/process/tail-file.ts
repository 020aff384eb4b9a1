import { type FileHandle, open } from 'node:fs/promises';
import { TurnoutError } from '../core/errors.js';
import type { LineSource } from './read-lines.js';
import { type Line, LineSplitter } from './split-lines.js';

const chunkBytes = 256 * 1024;
const shortestPauseMs = 5;
const longestPauseMs = 50;
const lookMs = 100;
const noBytes = Buffer.alloc(0);

export interface TailOptions {
  readonly maxLineBytes?: number | undefined;
  /** The most that the child may write. The file is on a disk, which others need too. */
  readonly maxBytes?: number | undefined;
  /** Called once when the child has written more, even if nobody reads at the moment. */
  readonly onTooMuch?: (() => void) | undefined;
}

/**
 * Reads the file that a child writes its stdout to while it grows, up to its end. A child that writes more than `maxBytes` is
 * to be ended; its output up to the limit is read, since it may tell of tools, and followed by a TurnoutError.
 */
export class FileTail implements LineSource {
  readonly #path: string;
  readonly #splitter: LineSplitter;
  readonly #maxBytes: number;
  readonly #onTooMuch: () => void;
  #childExited = false;
  #tooMuch = false;
  #bytesRead = 0;
  #wake: (() => void) | undefined;

  constructor(path: string, options: TailOptions = {}) {
    this.#path = path;
    this.#splitter = new LineSplitter(options.maxLineBytes);
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#onTooMuch = options.onTooMuch ?? (() => {});
  }

  childExited(): void {
    this.#childExited = true;
    this.#wake?.();
  }

  async *batches(): AsyncGenerator<readonly Line[], void, void> {
    const file = await open(this.#path, 'r');
    const look = setInterval(() => void this.#checkSize(file).catch(() => undefined), lookMs);
    look.unref();
    try {
      let heard = performance.now();
      for (;;) {
        await this.#checkSize(file);
        // The exit is checked before reading: all output from before the exit is in the file by then.
        const last = this.#childExited;
        // A child can write hundreds of megabytes before it is ended: nobody waits until all of that is read.
        const chunk = this.#bytesRead < this.#maxBytes ? await readSome(file) : noBytes;
        this.#bytesRead += chunk.length;
        if (chunk.length > 0) {
          heard = performance.now();
          const lines = this.#splitter.push(chunk);
          if (lines.length > 0) yield lines;
        } else if (last || this.#tooMuch) {
          break;
        } else {
          await this.#grown(pauseAfter(performance.now() - heard));
        }
      }
      const rest = this.#splitter.flush();
      if (rest.length > 0) yield rest;
      if (this.#tooMuch) throw tooMuchOutput(this.#maxBytes);
    } finally {
      clearInterval(look);
      await file.close();
    }
  }

  /** Looks at the file, not at what was read of it: a child can be faster than its reader. */
  async #checkSize(file: FileHandle): Promise<void> {
    if (this.#tooMuch || this.#maxBytes === Number.POSITIVE_INFINITY) return;
    if ((await file.stat()).size <= this.#maxBytes || this.#tooMuch) return;
    this.#tooMuch = true;
    this.#onTooMuch();
  }

  #grown(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(settle, ms);
      this.#wake = settle;
    });
  }
}

/** Whoever has waited for the first word of a CLI does not notice a tenth more. */
function pauseAfter(silenceMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, silenceMs / 10));
}

function tooMuchOutput(maxBytes: number): TurnoutError {
  return new TurnoutError(
    'bad_request',
    `The agent wrote more than ${maxBytes / 1024 ** 2} MB of output in one turn, the limit (MAX_OUTPUT_MB), and was ended.`,
    {
      hint: 'Ask for less output, or raise MAX_OUTPUT_MB.',
    },
  );
}

async function readSome(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const { bytesRead } = await file.read(buffer, 0, chunkBytes, null);
  return buffer.subarray(0, bytesRead);
}
