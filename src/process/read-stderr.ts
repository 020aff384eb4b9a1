import type { Readable } from 'node:stream';
import { EndsKeeper } from './keep-ends.js';
import { type Line, LineSplitter } from './split-lines.js';
import { afterQuiet, patienceMs, quietMs } from './wait-for-quiet.js';

/** Drains a child's stderr at all times, so that the child never blocks, and keeps its two ends. */
export class StderrReader {
  readonly #stream: Readable;
  readonly #kept: EndsKeeper;
  #lastSign: number | undefined;
  #childExited = false;

  constructor(stream: Readable, maxBytes?: number, onLine?: (line: string) => void) {
    this.#stream = stream;
    this.#kept = new EndsKeeper(maxBytes);
    if (onLine !== undefined) tellLines(stream, onLine);
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      this.#lastSign = performance.now();
      this.#kept.push(chunk);
    });
  }

  text(): string {
    return this.#kept.text();
  }

  childExited(): void {
    this.#childExited = true;
    this.#lastSign = performance.now();
  }

  /** Waits for the last output, which may arrive after the exit. Closes the stream if the child is gone. */
  async settle(): Promise<void> {
    const began = performance.now();
    // After a busy stretch the time may be over before the stream was checked, so it is checked once anyway.
    for (let looked = false; !this.#stream.closed && performance.now() - began < patienceMs; looked = true) {
      const silence = performance.now() - (this.#lastSign ?? began);
      // A child that has closed its stdout may say why on its way out, and a busy machine makes that way long.
      const enough = this.#childExited ? quietMs : patienceMs;
      if (looked && silence >= enough) break;
      await this.#closedOrAfter(Math.max(0, enough - silence));
    }
    if (this.#childExited) this.#stream.destroy();
  }

  #closedOrAfter(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        cancel();
        this.#stream.off('close', settle);
        resolve();
      };
      const cancel = afterQuiet(ms, settle);
      this.#stream.on('close', settle);
    });
  }
}

const maxLineBytes = 64 * 1024;

function tellLines(stream: Readable, onLine: (line: string) => void): void {
  const splitter = new LineSplitter(maxLineBytes);
  const tell = (lines: readonly Line[]) => {
    for (const line of lines) onLine(line.text);
  };
  stream.on('data', (chunk: Buffer) => tell(splitter.push(chunk)));
  stream.once('close', () => tell(splitter.flush()));
}
