import { type FileHandle, open } from 'node:fs/promises';
import type { LineSource } from './read-lines.js';
import { type Line, LineSplitter } from './split-lines.js';

const chunkBytes = 256 * 1024;
const firstPauseMs = 5;
const longestPauseMs = 50;

/** Reads the file that a child writes its stdout to while it grows, up to its end. */
export class FileTail implements LineSource {
  readonly #path: string;
  readonly #splitter: LineSplitter;
  #childExited = false;
  #wake: (() => void) | undefined;

  constructor(path: string, maxLineBytes?: number) {
    this.#path = path;
    this.#splitter = new LineSplitter(maxLineBytes);
  }

  childExited(): void {
    this.#childExited = true;
    this.#wake?.();
  }

  async *batches(): AsyncGenerator<readonly Line[], void, void> {
    const file = await open(this.#path, 'r');
    try {
      let pause = firstPauseMs;
      for (;;) {
        // The exit is checked before reading: all output from before the exit is in the file by then.
        const last = this.#childExited;
        const chunk = await readSome(file);
        if (chunk.length > 0) {
          pause = firstPauseMs;
          const lines = this.#splitter.push(chunk);
          if (lines.length > 0) yield lines;
        } else if (last) {
          break;
        } else {
          await this.#grown(pause);
          pause = Math.min(longestPauseMs, pause * 2);
        }
      }
      const rest = this.#splitter.flush();
      if (rest.length > 0) yield rest;
    } finally {
      await file.close();
    }
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

async function readSome(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const { bytesRead } = await file.read(buffer, 0, chunkBytes, null);
  return buffer.subarray(0, bytesRead);
}
