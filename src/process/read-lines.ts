import type { Readable } from 'node:stream';
import { type Line, LineSplitter } from './split-lines.js';
import { afterQuiet, patienceMs, quietMs } from './wait-for-quiet.js';

/** Where lines come from: the child's stdout pipe, or the file that stands in for it. */
export interface LineSource {
  childExited(): void;
  batches(): AsyncGenerator<readonly Line[], void, void>;
}

/**
 * Reads a child's stdout a little ahead of its reader, and then as fast as that asks and no faster: Claude, Gemini and
 * OpenCode exit without waiting for a full pipe, so what a slow reader leaves in it at the end is lost. It ends at the
 * end of the pipe, or after the child's exit when all that the child wrote has been read: a grandchild that inherited
 * the pipe may hold it open for ever.
 */
export class LineReader implements LineSource {
  readonly #stdout: Readable;
  readonly #splitter: LineSplitter;
  #wake: (() => void) | undefined;
  #childExited = false;
  #waitedSinceExit = 0;
  #ahead: Buffer[] = [];
  #aheadBytes = 0;
  #bytesSinceExit = 0;

  constructor(stdout: Readable, maxLineBytes?: number) {
    this.#stdout = stdout;
    this.#splitter = new LineSplitter(maxLineBytes);
    const wake = () => {
      this.#readAhead();
      this.#wake?.();
    };
    // Listening from the start: at a child's exit Node resumes each pipe without a 'readable' listener
    // and throws its bytes away.
    stdout.on('readable', wake).on('end', wake).on('close', wake).on('error', wake);
  }

  childExited(): void {
    this.#childExited = true;
    this.#wake?.();
  }

  async *batches(): AsyncGenerator<readonly Line[], void, void> {
    try {
      do {
        for (let chunk = this.#read(); chunk !== null; chunk = this.#read()) {
          const lines = this.#splitter.push(chunk);
          if (lines.length > 0) yield lines;
        }
      } while (!this.#atEnd() && (await this.#changed()));
      const rest = this.#splitter.flush();
      if (rest.length > 0) yield rest;
    } finally {
      this.#stdout.destroy();
    }
  }

  #read(): Buffer | null {
    if (this.#ahead.length === 0) this.#readAhead();
    const chunk = this.#ahead.shift();
    if (chunk === undefined) return null;
    const wasFull = this.#aheadBytes >= readAheadBytes;
    this.#aheadBytes -= chunk.length;
    // Where there was room left, all that there is has been read.
    if (wasFull) this.#readAhead();
    return chunk;
  }

  #readAhead(): void {
    while (this.#aheadBytes < readAheadBytes && this.#bytesSinceExit <= moreThanAnyPipeHolds) {
      const chunk: Buffer | null = this.#stdout.read();
      if (chunk === null) return;
      this.#ahead.push(chunk);
      this.#aheadBytes += chunk.length;
      if (this.#childExited) this.#bytesSinceExit += chunk.length;
    }
  }

  #atEnd(): boolean {
    return (
      this.#stdout.readableEnded || this.#stdout.destroyed || this.#bytesSinceExit > moreThanAnyPipeHolds
    );
  }

  /** False when there was nothing to wait for: the child is gone and its pipe empty. */
  #changed(): Promise<boolean> {
    return new Promise((resolve) => {
      const began = performance.now();
      const settle = (changed: boolean) => {
        cancel?.();
        this.#wake = undefined;
        if (this.#childExited) this.#waitedSinceExit += performance.now() - began;
        resolve(changed);
      };
      const patience = Math.max(0, Math.min(quietMs, patienceMs - this.#waitedSinceExit));
      const cancel = this.#childExited ? afterQuiet(patience, () => settle(false)) : undefined;
      this.#wake = () => settle(true);
    });
  }
}

const readAheadBytes = 8 * 1024 * 1024;

/** What an exited child wrote was in the pipe by then (Linux: 64 to 208 KiB); more than this is somebody else's. */
const moreThanAnyPipeHolds = 8 * 1024 * 1024;
