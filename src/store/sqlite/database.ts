import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { decodeText, encodeText } from './text-codec.js';

export type Value = string | number | null | undefined;

/** An open SQLite file. Statements are prepared once; `undefined` is stored as NULL, and any text comes back as it was. */
export class Database {
  readonly file: string;
  readonly #raw: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(raw: DatabaseSyncInstance, file: string) {
    this.#raw = raw;
    this.file = file;
  }

  /** The number of rows that it changed. */
  run(sql: string, ...values: Value[]): number {
    return this.#prepared(sql).run(...values.map(bindable)).changes;
  }

  /** The row id of what was inserted. */
  insert(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values.map(bindable)).lastInsertRowid);
  }

  /** `Row` is what the caller knows of its own SQL: nothing checks it. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    const row = this.#prepared(sql).get(...values.map(bindable));
    return row === undefined ? undefined : decoded(row);
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql)
      .all(...values.map(bindable))
      .map(decoded);
  }

  exec(sql: string): void {
    this.#raw.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#raw.isTransaction;
  }

  get isOpen(): boolean {
    return this.#raw.isOpen;
  }

  close(): void {
    // @photostructure/sqlite 1.2.1 can't finalize statements, so SQLite really closes the file when they are collected.
    // What it would have done then is done now: everything into the one file.
    try {
      this.#raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A reader may not, and a full disk can't: the log stays, and is read the next time.
    }
    this.#statements.clear();
    this.#raw.close();
  }

  #prepared(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#raw.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function bindable(value: Value): string | number | null {
  return typeof value === 'string' ? encodeText(value) : (value ?? null);
}

/** The row is nobody else's: it is changed where it has to be. */
function decoded<Row>(row: Row): Row {
  const columns = row as Record<string, unknown>;
  for (const name in columns) {
    const value = columns[name];
    if (typeof value === 'string') columns[name] = decodeText(value);
  }
  return row;
}
