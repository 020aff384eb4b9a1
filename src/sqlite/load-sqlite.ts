import { TurnoutError } from '../core/errors.js';
import type { Sqlite } from './connection.js';
import { nodeSqlite } from './node-sqlite.js';

/**
 * Loads the SQLite of this process: the one in Node, or on a Node without (a usable) one the package, which is an
 * optional dependency of 29 MB. Nothing else may load either: two copies of SQLite in one process give away each
 * other's locks, because a lock of the operating system belongs to the process and ends when any of its descriptors
 * of the file is closed. `TURNOUT_SQLITE` (`node`, `package`) insists on one of the two, for tests.
 */
export async function loadSqlite(wanted = process.env['TURNOUT_SQLITE']): Promise<Sqlite> {
  const own = wanted === 'package' ? undefined : nodeSqlite();
  if (own !== undefined) return own;
  if (wanted === 'node') throw notThere();
  try {
    // It takes 130 ms to load: only a program that opens a database pays for it.
    return (await import('@photostructure/sqlite')).DatabaseSync;
  } catch (error) {
    throw notThere(error);
  }
}

function notThere(cause?: unknown): TurnoutError {
  const why = cause instanceof Error && !isMissing(cause) ? ` (${cause.message})` : '';
  return new TurnoutError(
    'not_installed',
    `SQLite is not there: Node ${process.versions.node} has none that Turnout can use, and the package ` +
      `@photostructure/sqlite can't be loaded${why}.`,
    {
      hint: 'Use Node 22.20, 24.7 or newer, or install Turnout again with its optional dependencies (without --omit=optional).',
      cause,
    },
  );
}

function isMissing(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
