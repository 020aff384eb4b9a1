import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { TurnoutError } from '../core/errors.js';
import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { endWindowsTree } from './end-windows-tree.js';
import { ProcessFamily } from './find-family.js';
import { killAtExit } from './kill-at-exit.js';
import type { ProcessRow } from './process-table.js';
import { type BatchHandler, type LineBatches, LineReader, type LineSource } from './read-lines.js';
import { StderrReader } from './read-stderr.js';
import type { Line } from './split-lines.js';
import type { ProcessSpec } from './start-process.js';
import { FileTail } from './tail-file.js';
import { InputWriter } from './write-input.js';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How it ended, for a sentence: `exit 1` or `signal SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit ${code}` : `signal ${signal}`;
}

/** Is to be read to its end or ended, and best both: `endLeftovers()` after the last line costs little. */
export interface RunningProcess {
  readonly pid: number;
  /**
   * Stdout in batches of complete lines; a last line without LF counts. Can be iterated once. A slow reader slows the
   * child; leaving the loop closes the pipe. Ends at the end of the output, by when `stderr()` is complete too, and
   * shortly after the exit even when something that the child left behind keeps the pipe open.
   */
  lines(): AsyncIterable<readonly Line[]>;
  /** The same, handed over at once: for those who listen for as long as the child lives. Resolves at the end. */
  eachBatch(handle: BatchHandler): Promise<void>;
  /** What the child has said on stderr so far: its start and its end, and in between how much was left out. */
  stderr(): string;
  /** Resolves when the pipe has taken all of it; rejects when the child is gone or its input not open. */
  write(data: string): Promise<void>;
  closeInput(): void;
  /** Settles at the exit itself: output may still be on its way. */
  readonly exited: Promise<ProcessExit>;
  /**
   * Ends the child and all that it started: SIGTERM, a grace of 2 s, SIGKILL. Calls share one ending, and the shortest
   * grace counts. A `code` and a `signal` of null mean that even SIGKILL could not end it.
   */
  end(options?: { readonly graceMs?: number }): Promise<ProcessExit>;
  /** Waits for the exit, then ends what the child left running. */
  endLeftovers(): Promise<void>;
}

export class ChildRun implements RunningProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #command: string;
  readonly #input: InputWriter;
  readonly #output: LineSource;
  readonly #stderr: StderrReader;
  readonly #family: ProcessFamily;
  #settleExit: (exit: ProcessExit) => void = () => {};
  /** What lay unread in the pipe when the child was ended. */
  #unread: Promise<readonly (readonly Line[])[]> | undefined;
  #read = false;
  #ending: Promise<ProcessExit> | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(child: ChildProcess, spec: ProcessSpec, run: string) {
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stderr === null) throw new TypeError('not a child with pipes');
    this.pid = pid;
    this.#command = spec.command;
    this.#family = new ProcessFamily(pid, run);
    this.#input = new InputWriter(spec.command, stdin, spec.stdin);
    this.#output =
      stdout === null
        ? new FileTail(spec.stdoutFile ?? '', spec.maxLineBytes)
        : new LineReader(stdout, spec.maxLineBytes);
    this.#stderr = new StderrReader(stderr, spec.stderrBytes, spec.onStderrLine);
    // The child itself keeps our event loop alive; a pipe that somebody holds after its exit must not.
    (stdout as Socket | null)?.unref();
    (stderr as Socket).unref();
    child.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.#settleExit = resolve;
    });
    const release = killAtExit(() => this.#killNow());
    child.once('exit', (code, signal) => {
      release();
      this.#family.rootExited();
      this.#settle({ code, signal });
    });
  }

  lines(): LineBatches {
    this.#beginReading();
    const batches = this.#unread === undefined ? this.#output.batches() : replay(this.#unread);
    const withStderr = async (last: IteratorResult<readonly Line[], void>) => {
      await this.#stderr.settle();
      return last;
    };
    return {
      next: () => batches.next().then((result) => (result.done ? withStderr(result) : result)),
      return: () => batches.return?.() ?? Promise.resolve({ value: undefined, done: true }),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async eachBatch(handle: BatchHandler): Promise<void> {
    this.#beginReading();
    if (this.#unread === undefined) await this.#output.each(handle);
    else for (const lines of await this.#unread) await handle(lines);
    await this.#stderr.settle();
  }

  #beginReading(): void {
    if (this.#read) {
      throw new TurnoutError('bad_request', `The output of ${this.#command} can be read only once.`);
    }
    this.#read = true;
  }

  stderr(): string {
    return this.#stderr.text();
  }

  write(data: string): Promise<void> {
    return this.#input.write(data);
  }

  closeInput(): void {
    this.#input.close();
  }

  end(options: { readonly graceMs?: number } = {}): Promise<ProcessExit> {
    this.#deadline = Math.min(this.#deadline, performance.now() + (options.graceMs ?? defaultGraceMs));
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async endLeftovers(): Promise<void> {
    await this.exited;
    await this.end();
  }

  async #end(): Promise<ProcessExit> {
    const release = killAtExit(() => this.#killNow());
    try {
      if (process.platform === 'win32') await endWindowsTree(this.pid);
      else await this.#endFamily().catch(() => this.#endWithoutTable());
      const exit = await this.exited;
      // A pipe that nobody reads would stay open for ever, and what is left in it is little.
      if (!this.#read) this.#unread = collect(this.#output.batches());
      await this.#unread;
      await this.#stderr.settle();
      return exit;
    } finally {
      release();
    }
  }

  async #endFamily(): Promise<void> {
    const survivors = await endFamily({
      find: () => this.#family.find(),
      send: (family, signal) => this.#send(family, signal),
      deadline: () => this.#deadline,
      change: this.exited,
    });
    if (survivors.some(({ pid }) => pid === this.pid)) this.#settle({ code: null, signal: null });
  }

  /** No descriptor was left to read the process table with: the end of the child sets those of its pipes free. */
  async #endWithoutTable(): Promise<void> {
    if (this.#family.rootLives) sendTo([this.#group], 'SIGKILL');
    await this.exited;
    await this.#endFamily().catch(() => {});
  }

  /** The group at one stroke, which leaves no moment to fork in; none gets a signal twice, as some CLIs count them. */
  #send(family: readonly ProcessRow[], signal: NodeJS.Signals): void {
    const asGroup = this.#family.rootLives && family.some(({ pid }) => pid === this.pid);
    const others = asGroup ? family.filter(({ group }) => group !== this.pid) : family;
    sendTo([...(asGroup ? [this.#group] : []), ...others.map(({ pid }) => pid)], signal);
  }

  /** As `kill` wants it. Windows has no groups. */
  get #group(): number {
    return process.platform === 'win32' ? this.pid : -this.pid;
  }

  #killNow(): void {
    this.#send(this.#family.findNow(), 'SIGKILL');
    if (this.#family.rootLives) sendTo([this.#group], 'SIGKILL');
  }

  #settle(exit: ProcessExit): void {
    this.#input.childExited();
    this.#output.childExited();
    this.#stderr.childExited();
    this.#settleExit(exit);
  }
}

async function* replay(
  batches: Promise<readonly (readonly Line[])[]>,
): AsyncGenerator<readonly Line[], void> {
  yield* await batches;
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
