import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from '../../core/make-directory.js';
import { loadSqlite } from '../../sqlite/load-sqlite.js';
import { StoreError } from '../errors.js';
import { Database } from './database.js';
import { expectNewest, migrate } from './migrate.js';
import { toStoreError } from './sqlite-errors.js';

export interface OpenOptions {
  /** The time to retry while another program holds the file. */
  readonly lockTimeoutMs?: number | undefined;
  /** If it is set, nothing is created or changed: for a reader while another process may be at work. */
  readonly readOnly?: boolean | undefined;
}

/** Opens the file with the newest schema. If there is none, it is created, readable by its owner only. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  const Sqlite = await loadSqlite();
  const { readOnly = false } = options;
  const deadline = performance.now() + (options.lockTimeoutMs ?? 5_000);
  for (;;) {
    let db: Database | undefined;
    try {
      if (!readOnly) makePrivate(file);
      db = new Database(new Sqlite(file, { timeout: busyTimeoutMs, readOnly }), file);
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
      if (failure.fault !== 'locked' || performance.now() >= deadline) throw failure;
      await sleep(50);
    }
  }
}

/**
 * SQLite waits inside a call, and nothing else of the process runs meanwhile: 25 ms let a reader's checkpoint
 * pass, and longer waits are asynchronous.
 */
const busyTimeoutMs = 25;

function configure(db: Database): void {
  // `auto_vacuum` works only before the first table, and makes `PRAGMA incremental_vacuum` possible.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  const mode = db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal') {
    throw new StoreError(
      'failed',
      `${db.file} can't use a write-ahead log (its journal is ${mode}): the directory may be on a network drive. ` +
        'Set TURNOUT_HOME to a directory on a local disk.',
    );
  }
  // With FULL, an acknowledged commit survives a power cut.
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA foreign_keys = ON');
  // What is deleted is overwritten in the pages that are written anyway; pages that become free go with the vacuum.
  db.exec('PRAGMA secure_delete = FAST');
  db.exec('PRAGMA temp_store = MEMORY');
  db.exec('PRAGMA cache_size = -16000');
  // Under load the same pages change again and again: fewer checkpoints move each page into the file once.
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  db.exec('PRAGMA journal_size_limit = 67108864');
}

/**
 * Creates the file with mode 0600, from which the log beside it (`-wal`, `-shm`) gets its mode. An existing
 * file is not opened: closing it again would release the locks that this process may hold on it.
 */
function makePrivate(file: string): void {
  makeDirectory(dirname(file));
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
