import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { tryLock } from '../../config/short-lock.js';
import { makeDirectory } from '../../core/make-directory.js';
import { wordsBehindSeed } from '../../core/seeded-prompt.js';
import { oneLine, proseLine } from '../../core/text.js';

/** A session that a person has had through Turnout. */
export interface KnownSession {
  readonly backend: string;
  readonly sessionId: string;
  /** The real path of the directory that the agent worked in. */
  readonly directory: string;
  /** The first words of the first prompt, in one line. */
  readonly title: string;
  /** When it was used last. */
  readonly usedAt: number;
}

export interface NotedTurn {
  readonly backend: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly prompt: string;
}

/**
 * Keeps a session in the index, `sessions.jsonl` of the home: a line for each turn. Never throws: a full disk costs a line, not
 * a turn. A line is one `write` to the end of the file, so that those of two processes don't mix. At its limit the file
 * becomes the former one, which is still read: what another process appends to it meanwhile is not lost.
 */
export function noteSession(home: string, turn: NotedTurn, now = Date.now()): void {
  try {
    makeDirectory(home);
    const [path] = filesIn(home);
    const file = openSync(path, appending, 0o600);
    try {
      // A line that a full disk has cut ends here.
      writeSync(file, `\n${JSON.stringify(record(turn, now))}\n`);
      if (fstatSync(file).size <= maxBytes) return;
    } finally {
      closeSync(file);
    }
    rotate(home);
  } catch {
    // The session goes on all the same, by its id.
  }
}

/** The sessions of the index, the last used one first. */
export function knownSessions(home: string): readonly KnownSession[] {
  const [path, former] = filesIn(home);
  const sessions = new Map<string, KnownSession>();
  for (const line of [...linesIn(former), ...linesIn(path)]) {
    const read = readRecord(line);
    if (read === undefined) continue;
    const key = `${read.backend}\n${read.sessionId}`;
    const before = sessions.get(key);
    sessions.delete(key);
    // The first prompt is the title.
    sessions.set(key, { ...read, title: before?.title || read.title });
  }
  // By their lines: a clock that was wrong for a while has left times of the future.
  return [...sessions.values()].reverse();
}

/** The name under which a directory is in the index. */
export function indexedDirectory(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}

/** A pipe in its place would be waited for. */
const appending =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** About 500 turns for each of the two files. */
const maxBytes = 128 * 1024;

function filesIn(home: string): readonly [current: string, former: string] {
  return [join(home, 'sessions.jsonl'), join(home, 'sessions.former.jsonl')];
}

function record({ backend, sessionId, cwd, prompt }: NotedTurn, at: number) {
  const title = oneLine(proseLine(wordsBehindSeed(prompt)), 80);
  return { at, backend, id: sessionId, cwd: indexedDirectory(cwd), title };
}

function rotate(home: string): void {
  const [path, former] = filesIn(home);
  const unlock = tryLock(`${path}.lock`);
  if (unlock === undefined) return;
  try {
    // Another process may have done it since: the file would be a short one.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, former);
  } finally {
    unlock();
  }
}

/** A file that is longer than it should be is read from behind. */
function linesIn(path: string): readonly string[] {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = fstatSync(file);
      if (!facts.isFile()) return [];
      const length = Math.min(facts.size, 4 * maxBytes);
      const bytes = Buffer.alloc(length);
      const read = readSync(file, bytes, 0, length, facts.size - length);
      return bytes.toString('utf8', 0, read).split('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

function readRecord(line: string): KnownSession | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { at, backend, id, cwd, title }: Record<string, unknown> = JSON.parse(line);
    if (!isTime(at) || !isText(backend) || !isText(id) || !isText(cwd)) return undefined;
    return {
      backend,
      sessionId: id,
      directory: cwd,
      title: isText(title) ? title : '',
      usedAt: at,
    };
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
