import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { TurnoutError } from '../core/errors.js';
import { RunCgroup } from './cgroup.js';
import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { ProcessFamily } from './find-family.js';
import { killAtExit } from './kill-at-exit.js';
import type { Mark } from './mark-child.js';
import type { ProcessRow } from './process-table.js';
import { type LineBatches, LineReader, type LineSource } from './read-lines.js';
import { StderrReader } from './read-stderr.js';
import type { Line } from './split-lines.js';
import type { ProcessSpec } from './start-process.js';
import { FileTail } from './tail-file.js';
import { InputWriter } from './write-input.js';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Describes an exit for a message: `exit 1` or `signal SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit ${code}` : `signal ${signal}`;
}

/** Returns the exit code as a shell counts it: 128 and the signal's number for a program that a signal has ended. */
export function exitCodeOf({ code, signal }: ProcessExit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/**
 * True if the message tells, in the words of `describeExit`, of a process that somebody else has ended: not by its own fault.
 * A shell or an npm shim whose child was ended by a signal exits with 128 and the signal's number.
 */
export function tellsOfKill(message: string): boolean {
  return killed.test(message);
}

const kills = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
const killed = new RegExp(
  `\\((?:signal (?:${kills.join('|')})|exit (?:${kills.map((name) => 128 + constants.signals[name]).join('|')}))\\)`,
);

/**
 * A child process. The caller must read it to its end or end it, and best does both: `endLeftovers()` after
 * the last line costs little.
 */
export interface RunningProcess {
  readonly pid: number;
  /**
   * The stdout in batches of complete lines; a last line without LF counts. It can be iterated once. A slow
   * reader slows the child; leaving the loop closes the pipe. The iteration ends at the end of the output,
   * when `stderr()` is complete too, and shortly after the exit even if a process that the child left behind
   * keeps the pipe open.
   */
  lines(): AsyncIterable<readonly Line[]>;
  /** The child's stderr so far: its beginning and its end, and in between the number of bytes left out. */
  stderr(): string;
  /** Resolves when the pipe has taken all data; rejects if the child is gone or its input is not open. */
  write(data: string): Promise<void>;
  closeInput(): void;
  /** Settles at the exit itself; output may still arrive after it. */
  readonly exited: Promise<ProcessExit>;
  /**
   * Ends the child and all processes that it started: SIGTERM, a grace of 2 s, SIGKILL. Calls share one
   * ending, and the shortest grace counts. If `code` and `signal` are null, even SIGKILL could not end the
   * child.
   */
  end(options?: { readonly graceMs?: number }): Promise<ProcessExit>;
  /** True if no process lives that the child has started. */
  isAlone(): Promise<boolean>;
  /** Waits for the exit, then ends the processes that the child left running. */
  endLeftovers(): Promise<void>;
}

/** A running child: its pipes, its exit, and the ending of all processes that it started. */
export class ChildRun implements RunningProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #command: string;
  readonly #input: InputWriter;
  readonly #output: LineSource;
  readonly #stderr: StderrReader;
  readonly #cgroup: RunCgroup;
  readonly #family: ProcessFamily;
  #moved: Promise<void> | undefined;
  #settleExit: (exit: ProcessExit) => void = () => {};
  /** The output that was unread when the child was ended. */
  #unread: Promise<readonly (readonly Line[])[]> | undefined;
  #read = false;
  #isReading = false;
  #hasExited = false;
  /** The child is no longer killed when this program ends. */
  #release = () => {};
  #ending: Promise<ProcessExit> | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(child: ChildProcess, spec: ProcessSpec, mark: Mark) {
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stderr === null) throw new TypeError('not a child with pipes');
    this.pid = pid;
    this.#command = spec.command;
    this.#cgroup = new RunCgroup(mark);
    this.#family = new ProcessFamily(pid, mark.run, this.#cgroup);
    this.#input = new InputWriter(spec.command, stdin, spec.stdin);
    this.#output =
      stdout === null
        ? new FileTail(spec.stdoutFile ?? '', {
            maxLineBytes: spec.maxLineBytes,
            maxBytes: spec.maxFileBytes,
            onTooMuch: () => void this.end({ graceMs: 0 }).catch(() => undefined),
          })
        : new LineReader(stdout, spec.maxLineBytes);
    this.#stderr = new StderrReader(stderr, spec.stderrBytes, spec.onStderrLine);
    // Only the child itself keeps this event loop alive; a pipe that others hold after its exit must not.
    (stdout as Socket | null)?.unref();
    (stderr as Socket).unref();
    child.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.#settleExit = resolve;
    });
    const stays = spec.onHostExit === 'leave';
    const moving = setTimeout(() => {
      if (!stays) this.#moved = this.#cgroup.take(pid, async () => (await this.#family.look()).found);
    }, beforeMoveMs).unref();
    if (!stays) this.#release = killAtExit(() => this.#killNow());
    child.once('exit', (code, signal) => {
      this.#hasExited = true;
      if (!this.#isReading) this.#release();
      clearTimeout(moving);
      this.#family.rootExited();
      this.#cgroup.remove();
      this.#settle({ code, signal });
    });
  }

  lines(): LineBatches {
    this.#beginReading();
    const batches = this.#unread === undefined ? this.#output.batches() : replay(this.#unread);
    const withStderr = async (last: IteratorResult<readonly Line[], void>) => {
      await this.#stderr.settle();
      this.#stopReading();
      return last;
    };
    return {
      next: () => batches.next().then((result) => (result.done ? withStderr(result) : result)),
      return: () => {
        this.#stopReading();
        return batches.return?.() ?? Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #beginReading(): void {
    if (this.#read) {
      throw new TurnoutError('bad_request', `The output of ${this.#command} can be read only once.`);
    }
    this.#read = true;
    this.#isReading = true;
  }

  /** The caller ends now what the child has left: until then it is killed with this program. */
  #stopReading(): void {
    this.#isReading = false;
    if (this.#hasExited) setImmediate(this.#release);
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

  async isAlone(): Promise<boolean> {
    try {
      const { found, unsure } = await this.#family.look();
      return !unsure && found.every(({ pid }) => pid === this.pid);
    } catch {
      return false;
    }
  }

  async #end(): Promise<ProcessExit> {
    const release = killAtExit(() => this.#killNow());
    try {
      await this.#endFamily().catch(() => this.#endWithoutTable());
      void this.#moved?.then(() => this.#cgroup.remove());
      const exit = await this.exited;
      // A pipe without a reader would stay open for ever, so the little that is left in it is read here.
      if (!this.#read) this.#unread = collect(this.#output.batches());
      await this.#unread;
      await this.#stderr.settle();
      return exit;
    } finally {
      release();
      this.#release();
    }
  }

  async #endFamily(): Promise<void> {
    const survivors = await endFamily({
      look: () => this.#family.look(),
      send: (family, signal) => this.#send(family, signal),
      deadline: () => this.#deadline,
      change: this.exited,
      isCertain: () => this.#cgroup.holdsAll,
    });
    if (survivors.some(({ pid }) => pid === this.pid)) this.#settle({ code: null, signal: null });
  }

  /**
   * Ends the child without the process table, for which no file descriptor was left: the child's end frees
   * those of its pipes.
   */
  async #endWithoutTable(): Promise<void> {
    if (this.#family.rootLives) sendTo([-this.pid], 'SIGKILL');
    this.#cgroup.kill();
    await this.exited;
    await this.#endFamily().catch(() => {});
  }

  /**
   * Signals the group in one call, which leaves no moment to fork in. No process gets a signal twice, because
   * some CLIs count them.
   */
  #send(family: readonly ProcessRow[], signal: NodeJS.Signals): void {
    const asGroup = this.#family.rootLives && family.some(({ pid }) => pid === this.pid);
    if (signal === 'SIGKILL') this.#cgroup.kill();
    const others = asGroup ? family.filter(({ group }) => group !== this.pid) : family;
    sendTo([...(asGroup ? [-this.pid] : []), ...others.map(({ pid }) => pid)], signal);
  }

  /** A process may fork between the look and its end: so there is another look, as long as one finds somebody. */
  #killNow(): void {
    if (this.#family.rootLives) sendTo([-this.pid], 'SIGKILL');
    for (let looks = 0; looks < lastLooks; looks++) {
      const { found } = this.#family.lookNow();
      if (found.length === 0) return;
      this.#send(found, 'SIGKILL');
    }
  }

  #settle(exit: ProcessExit): void {
    this.#input.childExited();
    this.#output.childExited();
    this.#stderr.childExited();
    this.#settleExit(exit);
  }
}

const lastLooks = 5;

/** Hooks and other short programs are over by then; a CLI is still starting. */
const beforeMoveMs = 20;

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
