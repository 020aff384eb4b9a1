import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.js';
import type { Database } from './database.js';
import { concernsFile, toStoreError } from './sqlite-errors.js';

export interface GroupCommitOptions {
  /** So many operations go to disk together. More would keep the event loop busy for too long. */
  readonly maxBatch?: number | undefined;
  /** How long to try while another program holds the file. */
  readonly lockTimeoutMs?: number | undefined;
  /** More may not wait to be written. */
  readonly maxPending?: number | undefined;
}

/**
 * Writes go to disk together: whatever is asked for until the event loop comes round is one transaction, because a
 * commit costs the disk's time and not the number of its rows. In the order of the calls; one that
 * fails takes back only itself. A promise resolves when its transaction is on disk.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #maxBatch: number;
  readonly #lockTimeoutMs: number;
  readonly #maxPending: number;
  readonly #pending: Write[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(db: Database, options: GroupCommitOptions = {}) {
    this.#db = db;
    this.#maxBatch = options.maxBatch ?? 128;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? 5_000;
    this.#maxPending = options.maxPending ?? 20_000;
  }

  /** `operation` is synchronous, and may run again when its transaction has to be begun anew. */
  write<T>(operation: (db: Database) => T): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closedError());
    if (this.#pending.length >= this.#maxPending) {
      const message = `${this.#pending.length} changes wait to be written to ${this.#db.file}: the disk does not keep up.`;
      return Promise.reject(new StoreError('failed', message));
    }
    return new Promise<T>((resolve, reject) => {
      // The result goes back to the one who gave the operation: the type is kept by this closure.
      this.#pending.push({ operation, resolve: (value) => resolve(value as T), reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Sees every write that has resolved. */
  async read<T>(query: (db: Database) => T): Promise<T> {
    if (this.#closed) throw this.#closedError();
    return this.#unlessLocked(() => query(this.#db));
  }

  /** Writes what waits, then closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    if (this.#db.isOpen) this.#db.close();
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      await nextLoop();
      const batch = this.#pending.splice(0, this.#maxBatch);
      try {
        const outcomes = await this.#unlessLocked(() => commitTogether(this.#db, batch));
        for (const settle of outcomes) settle();
      } catch (error) {
        for (const write of batch) write.reject(error);
      }
    }
    this.#draining = undefined;
  }

  async #unlessLocked<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + this.#lockTimeoutMs;
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      try {
        return attempt();
      } catch (error) {
        const failure = toStoreError(error, this.#db.file);
        if (failure.fault !== 'locked' || performance.now() >= deadline) throw failure;
        await sleep(wait);
      }
    }
  }

  #closedError(): StoreError {
    return new StoreError('closed', `The database ${this.#db.file} is closed.`);
  }
}

interface Write {
  readonly operation: (db: Database) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Gives back how to tell each caller, once all of it is on disk. Throws when none of it is. */
function commitTogether(db: Database, batch: readonly Write[]): Array<() => void> {
  try {
    return inTransaction(db, () => batch.map((write) => succeed(db, write)));
  } catch (error) {
    if (concernsFile(error)) throw error;
    // Rare enough (a lost lease) to do all of it again: savepoints cost a tenth of everything.
    return inTransaction(db, () => batch.map((write) => attempt(db, write)));
  }
}

function inTransaction<T>(db: Database, work: () => T): T {
  db.run('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.run('COMMIT');
    return result;
  } catch (error) {
    // A full disk makes SQLite roll back by itself.
    if (db.inTransaction) db.run('ROLLBACK');
    throw error;
  }
}

function succeed(db: Database, write: Write): () => void {
  const value = write.operation(db);
  return () => write.resolve(value);
}

function attempt(db: Database, write: Write): () => void {
  db.run('SAVEPOINT operation');
  try {
    const value = write.operation(db);
    db.run('RELEASE operation');
    return () => write.resolve(value);
  } catch (error) {
    if (concernsFile(error) || !db.inTransaction) throw error;
    db.run('ROLLBACK TO operation');
    db.run('RELEASE operation');
    return () => write.reject(toStoreError(error, db.file));
  }
}
