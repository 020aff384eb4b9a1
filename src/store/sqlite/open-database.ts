import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.js';
import { Database } from './database.js';
import { expectNewest, migrate } from './migrate.js';
import { toStoreError } from './sqlite-errors.js';

export interface OpenOptions {
  /** How long to try while another program holds the file. */
  readonly lockTimeoutMs?: number | undefined;
  /** To look, while another process may be at work: nothing is made or changed. */
  readonly readOnly?: boolean | undefined;
}

/** Opens the file with the newest schema; makes it, readable for its owner only, when it is not there. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  // The native library takes 130 ms to load: only who opens a database pays for it.
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const { readOnly = false } = options;
  const deadline = Date.now() + (options.lockTimeoutMs ?? 5_000);
  for (;;) {
    let db: Database | undefined;
    try {
      if (!readOnly) makePrivate(file);
      db = new Database(new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly }), file);
      if (readOnly) {
        expectNewest(db);
      } else {
        configure(db);
        migrate(db);
      }
      return db;
    } catch (error) {
      if (db?.isOpen) db.close();
      const failure = toStoreError(error, file);
      if (failure.fault !== 'locked' || Date.now() >= deadline) throw failure;
      await sleep(50);
    }
  }
}

/**
 * SQLite waits inside of a call, and nothing else of the process runs meanwhile: long enough to let a reader's
 * checkpoint pass, the real waiting is done asynchronously.
 */
const busyTimeoutMs = 25;

function configure(db: Database): void {
  // Only works before the first table, and makes `PRAGMA incremental_vacuum` possible.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  const mode = db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal') {
    throw new StoreError(
      'failed',
      `${db.file} can't use a write-ahead log (its journal is ${mode}): the directory may be on a network drive. ` +
        'Set TURNOUT_HOME to a directory on a local disk.',
    );
  }
  // A commit that was acknowledged survives a power cut.
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA foreign_keys = ON');
  db.exec('PRAGMA temp_store = MEMORY');
  db.exec('PRAGMA cache_size = -16000');
  // Under load the same pages change again and again: moved into the file less often, they are moved once.
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  db.exec('PRAGMA journal_size_limit = 67108864');
}

/**
 * The log beside the file (`-wal`, `-shm`) gets its mode from it. One that is there is not opened: closing it again would
 * take away the locks that this process may hold on it.
 */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
