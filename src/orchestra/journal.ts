import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ErrorCode, Usage } from '../core/chat-event.js';
import { isShortage, TurnoutError } from '../core/errors.js';
import { makeDirectory } from '../core/make-directory.js';
import type { ResolvedChain, RunStatus, StepReport } from './types.js';

/** The steps of a run, in the order in which they were written. Each is on disk before what follows it is begun. */
export type JournalEntry = {
  readonly at: string;
  /** The time since this process has had the run, by a clock that nobody sets. */
  readonly ms: number;
} & (
  | RunEntry
  | { readonly type: 'resumed' }
  | { readonly type: 'step_begun'; readonly step: number }
  | {
      readonly type: 'iteration_begun';
      readonly step: number;
      readonly iteration: number;
      /** 1, or more if a failed run is tried again. */
      readonly attempt: number;
      /** The commit that the work tree is at, if it is one of git's. */
      readonly commit?: string;
      /** What the agent is told in addition to its prompt. */
      readonly remarks?: readonly string[];
    }
  | {
      readonly type: 'session';
      readonly step: number;
      readonly iteration: number;
      readonly sessionId: string;
    }
  | ({ readonly type: 'iteration_ended'; readonly step: number } & SettledIteration)
  | {
      readonly type: 'verified';
      readonly step: number;
      readonly iteration: number;
      readonly passed: boolean;
      readonly output: string;
    }
  | { readonly type: 'step_ended'; readonly step: number; readonly report: StepReport }
  | {
      readonly type: 'run_ended';
      readonly status: RunStatus;
      /** True if the chain's own budget was used up. */
      readonly overBudget?: true;
    }
);

export interface RunEntry {
  readonly type: 'run';
  readonly version: 1;
  readonly runId: string;
  readonly chain: ResolvedChain;
  readonly nonce?: string;
  readonly commit?: string;
  /** The directory that the run was started for, if it works in a worktree of its own. */
  readonly startedIn?: string;
  /** The git worktree that was made for the run, and its branch. */
  readonly worktree?: { readonly path: string; readonly branch: string };
}

/** A run of an agent that has ended, however it ended. */
export interface SettledIteration {
  readonly iteration: number;
  readonly attempt: number;
  readonly marker: boolean;
  readonly output: string;
  /** True if a full disk left no room for the output. */
  readonly outputLost?: true;
  readonly elapsedMs: number;
  readonly sessionId?: string;
  readonly usage?: Usage;
  readonly error?: IterationError;
  /** Set if Turnout itself has ended it. */
  readonly stopped?: { readonly by: 'budget'; readonly limit: string } | { readonly by: 'signal' };
  readonly commit?: string;
  /** A fingerprint of the work tree, if the step looks at its progress. */
  readonly tree?: string;
}

export interface IterationError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly toolsBegun: boolean;
  readonly retryAfterMs?: number;
}

type Distributed<T> = T extends unknown ? Omit<T, 'at' | 'ms'> : never;
export type NewEntry = Distributed<JournalEntry>;

/** Called before and after each entry is on disk: tests end the process there. */
export type JournalWatcher = (point: `${'before' | 'after'} ${JournalEntry['type']}`) => void;

export function journalFile(directory: string): string {
  return join(directory, 'journal.jsonl');
}

/** The file of a run: one entry a line, appended and synced. */
export class Journal {
  readonly #file: number;
  readonly #path: string;
  readonly #watch: JournalWatcher | undefined;
  readonly #opened = performance.now();

  private constructor(path: string, file: number, watch: JournalWatcher | undefined) {
    this.#path = path;
    this.#file = file;
    this.#watch = watch;
  }

  static create(directory: string, watch?: JournalWatcher): Journal {
    const path = journalFile(directory);
    try {
      makeDirectory(directory);
      return new Journal(path, openSync(path, 'ax', 0o600), watch);
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }

  /** Opens the journal of an earlier process. The line that it was writing when it died is cut off. */
  static reopen(
    directory: string,
    watch?: JournalWatcher,
  ): { journal: Journal; entries: readonly JournalEntry[] } {
    const path = journalFile(directory);
    const { entries, wholeBytes } = readJournal(path);
    try {
      const file = openSync(path, 'r+');
      ftruncateSync(file, wholeBytes);
      closeSync(file);
      return { journal: new Journal(path, openSync(path, 'a', 0o600), watch), entries };
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }

  append(entry: NewEntry): void {
    this.#watch?.(`before ${entry.type}`);
    try {
      this.#write(entry);
    } catch (error) {
      // What a run did matters more than what it said: on a full disk its end is noted without its words.
      if (entry.type !== 'iteration_ended' || !isShortage(error)) throw error;
      this.#write({ ...entry, output: '', outputLost: true });
    }
    this.#watch?.(`after ${entry.type}`);
  }

  #write(entry: NewEntry): void {
    const ms = Math.round(performance.now() - this.#opened);
    const line = `${JSON.stringify({ at: new Date().toISOString(), ms, ...entry })}\n`;
    const { size } = fstatSync(this.#file);
    try {
      let bytes = Buffer.from(line);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
      fsyncSync(this.#file);
    } catch (cause) {
      cutBack(this.#file, size);
      throw unwritable(this.#path, cause);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Half a line would hide the next one. */
function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // The error that is told is the first one.
  }
}

/** Reads the entries of a run. A last line without an end was never complete, and does not count. */
export function readJournal(path: string): { entries: readonly JournalEntry[]; wholeBytes: number } {
  const bytes = readBytes(path);
  const entries: JournalEntry[] = [];
  let from = 0;
  // Line by line: all of a long run would be more than a string can hold.
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
    entries.push(parseEntry(bytes.toString('utf8', from, end), path, entries.length + 1));
    from = end + 1;
  }
  if (entries[0]?.type !== 'run') throw damaged(path, 1);
  return { entries, wholeBytes: from };
}

/** The longest first line: it holds the whole chain, with the prompts of its steps. */
const mostOfFirst = 32 * 1024 * 1024;
/** The end of a run is a short line; a longer last line is of something else. */
const mostOfLast = 64 * 1024;

/**
 * The first entry and the last one: all that a list of runs needs. The last one is undefined if it is too long to be the end
 * of the run. Only the two ends of the file are read.
 */
export function readJournalEnds(path: string): {
  first: JournalEntry & RunEntry;
  last: JournalEntry | undefined;
} {
  return withFile(path, (file) => {
    const firstLine = readFirstLine(file);
    const first = parseEntry(firstLine?.toString('utf8') ?? '', path, 1);
    if (first.type !== 'run') throw damaged(path, 1);
    const { size } = fstatSync(file);
    // One byte more than the line itself: the end of the line in front of it.
    const tail = readAt(file, Math.max(0, size - mostOfLast), mostOfLast);
    const lastEnd = tail.lastIndexOf(0x0a);
    const begin = lastEnd <= 0 ? -1 : tail.lastIndexOf(0x0a, lastEnd - 1);
    if (begin < 0) return { first, last: size <= mostOfLast ? first : undefined };
    return { first, last: parseEntry(tail.toString('utf8', begin + 1, lastEnd), path, 0) };
  });
}

function readFirstLine(file: number): Buffer | undefined {
  for (let size = 64 * 1024; ; size *= 4) {
    const read = readAt(file, 0, size);
    const end = read.indexOf(0x0a);
    if (end >= 0) return read.subarray(0, end);
    if (read.length < size || size >= mostOfFirst) return undefined;
  }
}

function readAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let size = 0;
  while (size < length) {
    const read = readSync(file, bytes, size, length - size, from + size);
    if (read === 0) break;
    size += read;
  }
  return bytes.subarray(0, size);
}

function readBytes(path: string): Buffer {
  return withFile(path, (file) => readFileSync(file));
}

function withFile<T>(path: string, read: (file: number) => T): T {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK a FIFO in its place would block the open for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    return read(file);
  } catch (cause) {
    throw cause instanceof TurnoutError ? cause : unreadable(path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export function unreadable(path: string, cause: unknown): TurnoutError {
  return new TurnoutError('bad_request', `${path} can't be read: ${(cause as Error).message}`, { cause });
}

export function parseEntry(line: string, path: string, number: number): JournalEntry {
  let entry: Partial<JournalEntry> | undefined;
  try {
    entry = JSON.parse(line);
  } catch {
    throw damaged(path, number);
  }
  if (entry?.type === 'run' && entry.version !== 1) {
    throw new TurnoutError('bad_request', `The journal ${path} is of another version of Turnout.`, {
      hint: 'Use the version that has begun the run.',
    });
  }
  if (!isEntry(entry)) throw damaged(path, number);
  return entry;
}

/** A look at the fields without which nothing can be made of an entry. */
function isEntry(entry: Partial<JournalEntry> | undefined): entry is JournalEntry {
  if (typeof entry !== 'object' || entry === null || typeof entry.at !== 'string') return false;
  switch (entry.type) {
    case 'run':
      return typeof entry.runId === 'string' && Array.isArray(entry.chain?.groups);
    case 'resumed':
      return true;
    case 'run_ended':
      return typeof entry.status === 'string';
    case 'step_ended':
      return typeof entry.step === 'number' && typeof entry.report?.status === 'string';
    case 'iteration_ended':
      return typeof entry.step === 'number' && typeof entry.output === 'string';
    case 'step_begun':
    case 'iteration_begun':
    case 'session':
    case 'verified':
      return typeof entry.step === 'number';
    default:
      return false;
  }
}

export function damaged(path: string, line: number): TurnoutError {
  return new TurnoutError('bad_request', `The journal ${path} is damaged in line ${line}.`, {
    hint: `The run can't be resumed. Its directory is ${dirname(path)}.`,
  });
}

function unwritable(path: string, cause: unknown): TurnoutError {
  return new TurnoutError('unknown', `The journal ${path} can't be written: ${(cause as Error).message}`, {
    hint: 'Nothing new is begun without it. Make room or give the right to write, then `turnout chain resume`.',
    cause,
  });
}
