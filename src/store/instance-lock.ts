import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../core/errors.js';
import { makeDirectory } from '../core/make-directory.js';
import type { Sqlite, SqliteConnection } from '../sqlite/connection.js';
import { loadSqlite } from '../sqlite/load-sqlite.js';
import { KnownFile, type LostFile } from './known-file.js';

export interface DirectoryLock {
  /** What became of the lock file: without it the lock is held, and keeps nobody away. Undefined if it is there. */
  check(): LostFile | undefined;
  release(): Promise<void>;
}

/**
 * Makes this process the only holder of a directory. The lock is SQLite's on an empty database: a lock of the operating
 * system, which ends with the process however that ends, and which children don't inherit (POSIX record locks belong to
 * one process). Nothing else in this process may open the lock file: closing any descriptor of it would give the lock
 * away. So the holder's pid is in a file beside it.
 */
export async function lockDirectory(directory: string, name = 'gateway'): Promise<DirectoryLock> {
  const Sqlite = await loadSqlite();
  const pidFile = join(directory, `${name}.pid`);
  const lockFile = join(directory, `${name}.lock`);
  let db: SqliteConnection | undefined;
  try {
    makeDirectory(directory);
    db = await holdExclusively(() => openLockFile(lockFile, Sqlite));
    if (db !== undefined) await writePid(pidFile);
  } catch (error) {
    db?.close();
    throw unusable(directory, error);
  }
  if (db === undefined) throw await heldByAnother(directory, name, pidFile);
  const held = db;
  const file = new KnownFile(lockFile);
  keptOpen.add(held);
  let released: Promise<void> | undefined;
  return {
    check: () => file.check(),
    release() {
      // The pid file goes first: after the lock is given back, the next holder may have written its own.
      released ??= rm(pidFile, { force: true }).finally(() => {
        keptOpen.delete(held);
        held.close();
      });
      return released;
    },
  };
}

/** True if a process holds the directory. Its holder itself must not ask: that would give the lock away. */
export async function isHeld(directory: string, name = 'gateway'): Promise<boolean> {
  const lockFile = join(directory, `${name}.lock`);
  if (!existsSync(lockFile)) return false;
  const Sqlite = await loadSqlite();
  try {
    // Two that ask at the same moment turn each other away: a second look tells them from a holder.
    const db = await holdExclusively(() => openLockFile(lockFile, Sqlite), 3);
    db?.close();
    return db === undefined;
  } catch (error) {
    throw unusable(directory, error);
  }
}

/** A connection that is collected as garbage closes itself: nobody would be told that the lock is gone. */
const keptOpen = new Set<SqliteConnection>();

/** The lock file stays empty: a crash can leave nothing half done in it. */
function openLockFile(file: string, Connection: Sqlite): SqliteConnection {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return new Connection(file);
}

/** Two processes that try at the same moment can both be turned away: each tries some more times. */
async function holdExclusively(
  open: () => SqliteConnection,
  attempts = 8,
): Promise<SqliteConnection | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(20 + Math.random() * 40);
    const db = open();
    try {
      // A journal on the disk would need room, and a full disk is no reason not to start.
      db.exec('PRAGMA journal_mode = MEMORY');
      db.exec('BEGIN EXCLUSIVE');
      return db;
    } catch (error) {
      db.close();
      if (!isBusy(error)) throw error;
    }
  }
  return undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

/** The directory is held by another process. */
export class HeldError extends TurnoutError {
  /** The holder's process, if it could write it down. */
  readonly pid: string | undefined;

  constructor(name: string, directory: string, pid: string | undefined) {
    const who = pid === undefined ? `Another ${name}` : `Another ${name} (process ${pid})`;
    super('bad_request', `${who} is at work in ${directory}.`, {
      hint: 'Stop it first, or give this one a directory of its own with TURNOUT_HOME.',
    });
    this.pid = pid;
  }
}

async function heldByAnother(directory: string, name: string, pidFile: string): Promise<HeldError> {
  const pid = (await readFile(pidFile, 'utf8').catch(() => '')).trim();
  return new HeldError(name, directory, pid === '' ? undefined : pid);
}

/** The directory can't be made, is a file, is read-only, belongs to somebody else, or its disk is full. */
function unusable(directory: string, cause: unknown): TurnoutError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TurnoutError('bad_request', `The data directory ${directory} can't be used: ${why}.`, {
    hint: 'Give this user the right to write it, or set TURNOUT_HOME to another directory.',
    cause,
  });
}

/** The lock holds without it: on a full disk nobody is told who holds it. */
async function writePid(file: string): Promise<void> {
  try {
    await writeFile(`${file}.new`, `${process.pid}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    for (const stale of [`${file}.new`, file]) await rm(stale, { force: true });
  }
}
