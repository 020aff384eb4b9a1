import type { Readable } from 'node:stream';
import { Fifo } from '../core/fifo.js';
import { type Line, LineSplitter } from './split-lines.js';
import { afterQuiet, patienceMs, quietMs } from './wait-for-quiet.js';

/** Where lines come from: the child's stdout pipe, or the file that stands in for it. */
export interface LineSource {
  childExited(): void;
  /** To be called once, and then not `each`. */
  batches(): LineBatches;
  /** Hands each batch over at once, without a promise in between. Resolves at the end. */
  each(handle: BatchHandler): Promise<void>;
}

/** While the promise that it returns is pending it gets no more. */
export type BatchHandler = (lines: readonly Line[]) => Promise<void> | undefined;

export type LineBatches = AsyncIterableIterator<readonly Line[], void, void>;

type Result = IteratorResult<readonly Line[], void>;

/** Who waits for lines. */
interface Waiting {
  take(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Reads a child's stdout a little ahead of its reader, and then as fast as that asks and no faster: Claude, Gemini and
 * OpenCode exit without waiting for a full pipe, so what a slow reader leaves in it at the end is lost. It ends at the
 * end of the pipe, or after the child's exit when all that the child wrote has been read: a grandchild that inherited
 * the pipe may hold it open for ever.
 *
 * An iterator written by hand: a chunk costs its reader one promise, a generator's several.
 */
export class LineReader implements LineSource, LineBatches {
  readonly #stdout: Readable;
  readonly #splitter: LineSplitter;
  readonly #ahead = new Fifo<Buffer>();
  #aheadBytes = 0;
  #bytesSinceExit = 0;
  #childExited = false;
  #waitedSinceExit = 0;
  /** The child is gone, and its pipe has been empty for a while. */
  #quiet = false;
  #finished = false;
  /** The pipe has said something else than data. */
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
    // Listening from the start: at a child's exit Node resumes its pipes, and what nobody listens to is thrown away.
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

  each(handle: BatchHandler): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        this.#finish();
        reject(error);
      };
      const take = (result: Result) => {
        if (result.done) return resolve();
        try {
          const pause = handle(result.value);
          if (pause === undefined) this.#waiting = reader;
          else pause.then(listen, fail);
        } catch (error) {
          fail(error);
        }
      };
      const reader = { take, fail };
      const listen = () => {
        this.#waiting = reader;
        this.#look();
      };
      listen();
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

  /** Something has changed: is there something for the one who waits? */
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
      // As nearly always: that was all there is.
      if (this.#ahead.length === 0 && !this.#childExited && !this.#mayHaveEnded && !this.#finished) return;
    }
  }

  /** A line that there is no memory for is its reader's trouble, and nobody else's. */
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

/** What an exited child wrote was in the pipe by then (Linux: 64 to 208 KiB); more than this is somebody else's. */
const moreThanAnyPipeHolds = 8 * 1024 * 1024;
