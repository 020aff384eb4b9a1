import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { FairShare } from '../../core/fair-share.js';
import type { Ballast } from '../ballast.js';
import { fileLost, StoreError } from '../errors.js';
import type { Database } from './database.js';
import { type FileGuard, writeAnew } from './file-guard.js';
import { concernsFile, toStoreError } from './sqlite-errors.js';

export interface GroupCommitOptions {
  /** The most operations in one transaction. */
  readonly maxBatch?: number | undefined;
  /** The time to retry while another program holds the file. */
  readonly lockTimeoutMs?: number | undefined;
  /** The most operations that may wait to be written. */
  readonly maxPending?: number | undefined;
  /** Is given up when the disk is full. */
  readonly ballast?: Pick<Ballast, 'release'> | undefined;
  /** Watches the files. It is closed together with the database. */
  readonly guard?: FileGuard | undefined;
}

/** All queries together work for so long, then everything else has its turn: in each turn Node takes one new connection only. */
const readShareMs = 2;
/** The operations of one transaction: more of them would keep everything else waiting. */
const writeShareMs = 5;

/**
 * Writes go to disk together: all operations that arrive until the event loop comes round are one
 * transaction, because a commit costs the disk's time whatever the number of its rows. They run in the order
 * of the calls; one that fails undoes only itself. A promise resolves when its transaction is on disk.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #maxBatch: number;
  readonly #lockTimeoutMs: number;
  readonly #maxPending: number;
  readonly #ballast: Pick<Ballast, 'release'> | undefined;
  readonly #guard: FileGuard | undefined;
  /** True if a file was lost at the last look. */
  #isLost = false;
  readonly #pending: Write[] = [];
  readonly #reads = new FairShare(readShareMs);
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(db: Database, options: GroupCommitOptions = {}) {
    this.#db = db;
    this.#maxBatch = options.maxBatch ?? 128;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? 5_000;
    this.#maxPending = options.maxPending ?? 20_000;
    this.#ballast = options.ballast;
    this.#guard = options.guard;
  }

  /** `operation` is synchronous, and may run again if its transaction has to be begun anew. */
  write<T>(operation: (db: Database) => T): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closedError());
    if (this.#pending.length >= this.#maxPending) {
      const message = `${this.#pending.length} changes wait to be written to ${this.#db.file}: the disk does not keep up.`;
      return Promise.reject(new StoreError('io', message));
    }
    return new Promise<T>((resolve, reject) => {
      // The closure keeps the type: the result goes back to the caller that gave the operation.
      this.#pending.push({ operation, resolve: (value) => resolve(value as T), reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Runs a query that sees every write that has resolved. */
  async read<T>(query: (db: Database) => T): Promise<T> {
    // A caller may ask thousands of times, one answer after the other, and nothing else would happen meanwhile.
    const turn = this.#reads.take();
    if (turn !== undefined) await turn;
    if (this.#closed) throw this.#closedError();
    if (this.#isLost) this.#expectFiles();
    return this.#unlessLocked(() => query(this.#db)).catch((error: unknown) => {
      // What SQLite makes of a truncated file may be anything.
      this.#expectFiles();
      throw error;
    });
  }

  /** Rejects if a file of the database was lost. */
  async check(): Promise<void> {
    if (!this.#closed) this.#expectFiles();
  }

  /** Reads many rows in slices, between which others have their turn. `query` gives those behind the last one that it gave. */
  async *rows<Row>(query: (db: Database, last: Row | undefined) => readonly Row[]): AsyncGenerator<Row> {
    for (let last: Row | undefined; ; ) {
      const slice = await this.read((db) => query(db, last));
      yield* slice;
      last = slice.at(-1);
      if (last === undefined) return;
    }
  }

  /** Writes the pending operations, then closes the file. One that was removed is made anew from what is still open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    if (!this.#db.isOpen) return;
    try {
      if (this.#guard?.isDatabaseRemoved) writeAnew(this.#db);
    } finally {
      this.#db.close();
      this.#guard?.close();
    }
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      await nextLoop();
      const batch = this.#pending.splice(0, this.#maxBatch);
      try {
        const outcomes = await this.#unlessLocked(() => {
          this.#expectFiles();
          const done = this.#commit(batch);
          // What was written into a file that is gone must not be acknowledged.
          this.#expectFiles();
          return done;
        });
        this.#pending.unshift(...batch.slice(outcomes.length));
        for (const settle of outcomes) settle();
      } catch (error) {
        for (const write of batch) write.reject(error);
      }
    }
    this.#draining = undefined;
  }

  /** The room that the ballast gives is used at once: whoever has filled the disk may be faster otherwise. */
  #commit(batch: readonly Write[]): Array<() => void> {
    try {
      return commitTogether(this.#db, batch);
    } catch (error) {
      if (toStoreError(error, this.#db.file).fault !== 'full' || !this.#ballast?.release()) throw error;
      return commitTogether(this.#db, batch);
    }
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

  #expectFiles(): void {
    const lost = this.#guard?.check();
    this.#isLost = lost !== undefined;
    if (lost !== undefined) throw fileLost(lost);
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

/**
 * Writes as many as fit into a share of the time, at least one. Returns a function for each of their callers, to be called once
 * all is on disk. Throws if none of it is.
 */
function commitTogether(db: Database, batch: readonly Write[]): Array<() => void> {
  try {
    return inTransaction(db, () => asLongAsThereIsTime(batch, (write) => succeed(db, write)));
  } catch (error) {
    if (concernsFile(error)) throw error;
    // A failing operation (a lost lease) is rare enough to run the whole batch again: savepoints cost a tenth
    // of everything.
    return inTransaction(db, () => asLongAsThereIsTime(batch, (write) => attempt(db, write)));
  }
}

function asLongAsThereIsTime<T>(batch: readonly Write[], act: (write: Write) => T): T[] {
  const until = performance.now() + writeShareMs;
  const done: T[] = [];
  for (const write of batch) {
    done.push(act(write));
    if (performance.now() >= until) break;
  }
  return done;
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
