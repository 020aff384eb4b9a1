import { StoreError } from '../errors.js';
import type { Database } from './database.js';
import { migrations } from './migrations.js';

/** Migrates the file to the newest schema, in all steps or none. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  if (versionOf(db) === steps.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // The version is read again under the lock: another process may have migrated the file meanwhile.
    const version = versionOf(db);
    if (version > steps.length) throw tooNew(db.file, version, steps.length);
    for (const step of steps.slice(version)) db.exec(step);
    db.exec(`PRAGMA user_version = ${steps.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Throws if the file does not have the newest schema: a reader can't migrate it. */
export function expectNewest(db: Database, steps: readonly string[] = migrations): void {
  const version = versionOf(db);
  if (version > steps.length) throw tooNew(db.file, version, steps.length);
  if (version === steps.length) return;
  throw new StoreError(
    'failed',
    `${db.file} was written by an older Turnout. Start the gateway once: it brings the file up to date.`,
  );
}

function versionOf(db: Database): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

function tooNew(file: string, version: number, known: number): StoreError {
  return new StoreError(
    'failed',
    `${file} was written by a newer Turnout (its schema is ${version}, this one knows ${known}). ` +
      'Install the newer version again, or set TURNOUT_HOME to another directory.',
  );
}
