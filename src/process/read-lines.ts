import type { Readable } from 'node:stream';
import { Fifo } from '../core/fifo.js';
import { type Line, LineSplitter } from './split-lines.js';
import { afterQuiet, patienceMs, quietMs } from './wait-for-quiet.js';

/** A source of lines: the child's stdout pipe, or the file that stands in for it. */
export interface LineSource {
  childExited(): void;
  /** Must be called at most once. */
  batches(): LineBatches;
}

export type LineBatches = AsyncIterableIterator<readonly Line[], void, void>;

type Result = IteratorResult<readonly Line[], void>;

/** A reader that waits for lines. */
interface Waiting {
  take(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Reads a child's stdout a little ahead of its reader, and beyond that as fast as the reader asks: Claude,
 * Gemini and OpenCode exit without waiting for a full pipe, so output that a slow reader leaves in it at the
 * end is lost. The lines end at the end of the pipe, or after the child's exit when all that the child wrote
 * has been read: a grandchild that inherited the pipe may hold it open for ever.
 *
 * The iterator is written by hand: a chunk costs its reader one promise, with a generator several.
 */
export class LineReader implements LineSource, LineBatches {
  readonly #stdout: Readable;
  readonly #splitter: LineSplitter;
  readonly #ahead = new Fifo<Buffer>();
  #aheadBytes = 0;
  #bytesSinceExit = 0;
  #childExited = false;
  #waitedSinceExit = 0;
  /** True when the child has exited and its pipe has been silent for a while. */
  #quiet = false;
  #finished = false;
  /** True after an `end`, `close` or `error` event of the pipe. */
  #mayHaveEnded = false;
  #waiting: Waiting | undefined;
  #cancelQuiet: (() => void) | undefined;

  constructor(stdout: Readable, maxLineBytes?: number) {
    this.#stdout = stdout;
    this.#splitter = new LineSplitter(maxLineBytes);
    const look = () => {
      this.#mayHaveEnded = true;
      this.#look();
    };
    // The listener is attached from the start: at a child's exit Node resumes its pipes, and drops data that
    // nobody listens to.
    stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    stdout.on('end', look).on('close', look).on('error', look);
  }

  childExited(): void {
    this.#childExited = true;
    this.#look();
  }

  batches(): LineBatches {
    return this;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return new Promise((take, fail) => {
      this.#waiting = { take, fail };
      this.#look();
    });
  }

  return(): Promise<Result> {
    this.#finish();
    this.#look();
    return Promise.resolve(done);
  }

  #take(chunk: Buffer): void {
    this.#ahead.push(chunk);
    this.#aheadBytes += chunk.length;
    if (this.#childExited) this.#bytesSinceExit += chunk.length;
    if (this.#aheadBytes >= readAheadBytes || this.#tooMuch) this.#stdout.pause();
    this.#look();
  }

  /** Gives the waiting reader its next result, if there is one. */
  #look(): void {
    for (let reader = this.#waiting; reader !== undefined; reader = this.#waiting) {
      const result = this.#resultFor(reader);
      if (result === undefined) {
        if (this.#childExited && this.#waiting === reader) this.#expectQuiet();
        return;
      }
      this.#waiting = undefined;
      this.#cancelQuiet?.();
      reader.take(result);
      // In nearly all cases nothing is left to take here.
      if (this.#ahead.length === 0 && !this.#childExited && !this.#mayHaveEnded && !this.#finished) return;
    }
  }

  /** If there is no memory for a line, only the reader fails. */
  #resultFor(reader: Waiting): Result | undefined {
    try {
      return this.#result();
    } catch (error) {
      this.#waiting = undefined;
      this.#finish();
      reader.fail(error);
      return undefined;
    }
  }

  #result(): Result | undefined {
    if (this.#finished) return done;
    for (let chunk = this.#ahead.shift(); chunk !== undefined; chunk = this.#ahead.shift()) {
      this.#aheadBytes -= chunk.length;
      if (this.#stdout.isPaused() && !this.#tooMuch) this.#stdout.resume();
      const lines = this.#splitter.push(chunk);
      if (lines.length > 0) return { value: lines, done: false };
    }
    if (!this.#atEnd) return undefined;
    const rest = this.#splitter.flush();
    this.#finish();
    return rest.length > 0 ? { value: rest, done: false } : done;
  }

  #finish(): void {
    this.#finished = true;
    this.#ahead.clear();
    this.#cancelQuiet?.();
    this.#stdout.destroy();
  }

  get #tooMuch(): boolean {
    return this.#bytesSinceExit > moreThanAnyPipeHolds;
  }

  get #atEnd(): boolean {
    return this.#stdout.readableEnded || this.#stdout.destroyed || this.#tooMuch || this.#quiet;
  }

  #expectQuiet(): void {
    this.#cancelQuiet?.();
    const began = performance.now();
    const cancel = afterQuiet(Math.max(0, Math.min(quietMs, patienceMs - this.#waitedSinceExit)), () => {
      this.#quiet = true;
      this.#look();
    });
    this.#cancelQuiet = () => {
      cancel();
      this.#cancelQuiet = undefined;
      this.#waitedSinceExit += performance.now() - began;
    };
  }
}

const done = { value: undefined, done: true } as const;

const readAheadBytes = 8 * 1024 * 1024;

/**
 * The output of an exited child was in the pipe at its exit (Linux: 64 to 208 KiB); more than this must come
 * from another process.
 */
const moreThanAnyPipeHolds = 8 * 1024 * 1024;
