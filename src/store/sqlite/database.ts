import type { SqliteConnection, SqliteStatement, SqliteValue } from '../../sqlite/connection.js';
import { decodeText, encodeText } from './text-codec.js';

export type Value = string | number | null | undefined;

/** An open SQLite file. Statements are prepared once; `undefined` becomes NULL, and text stays unchanged. */
export class Database {
  readonly file: string;
  readonly #raw: SqliteConnection;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(raw: SqliteConnection, file: string) {
    this.#raw = raw;
    this.file = file;
  }

  /** Returns the number of rows that changed. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values.map(bindable)).changes);
  }

  /** Returns the row id of the inserted row. */
  insert(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values.map(bindable)).lastInsertRowid);
  }

  /** `Row` is the caller's claim about its own SQL: nothing checks it. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    const row = this.#prepared(sql).get(...values.map(bindable));
    return row === undefined ? undefined : decoded(row as Row & object);
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql)
      .all(...values.map(bindable))
      .map((row) => decoded(row as Row & object));
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
    // @photostructure/sqlite 1.2.1 can't finalize statements, so SQLite closes the file only when they are
    // collected (node:sqlite closes it at once). The checkpoint that it would make then is made now: everything
    // goes into the one file.
    try {
      this.#raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A reader may not checkpoint, and on a full disk it fails: the log stays, and is read the next time.
    }
    this.#statements.clear();
    this.#raw.close();
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#raw.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function bindable(value: Value): SqliteValue {
  return typeof value === 'string' ? encodeText(value) : (value ?? null);
}

/** Decodes the row in place: nobody else holds it. */
function decoded<Row extends object>(row: Row): Row {
  const columns = row as Record<string, unknown>;
  for (const name in columns) {
    const value = columns[name];
    if (typeof value === 'string') columns[name] = decodeText(value);
  }
  return row;
}
