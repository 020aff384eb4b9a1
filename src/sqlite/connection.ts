/**
 * The part of SQLite's interface that Turnout uses. `node:sqlite` and `@photostructure/sqlite` both have it, and what
 * they do differently is left out: booleans and `undefined` as values, the errno of an error, whether a number that is
 * bound to no column is an integer.
 */
export interface SqliteConnection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  run(...values: SqliteValue[]): SqliteChanges;
  get(...values: SqliteValue[]): object | undefined;
  all(...values: SqliteValue[]): object[];
}

export type SqliteValue = string | number | null;

export interface SqliteChanges {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

export interface SqliteOptions {
  readonly readOnly?: boolean;
  /** The time in ms that a call waits for another connection's lock. */
  readonly timeout?: number;
}

/** The class whose instances are connections: `DatabaseSync` of either library. */
export type Sqlite = new (file: string, options?: SqliteOptions) => SqliteConnection;
