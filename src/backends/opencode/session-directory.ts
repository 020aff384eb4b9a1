import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import { type NoticeEvent, notice } from '../../core/chat-event.js';
import { loadSqlite } from '../../sqlite/load-sqlite.js';
import { isObject, type JsonObject } from '../output/json.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory that OpenCode keeps a session in, read from its database: `opencode session list` takes two seconds.
 * Undefined if the session or the database is not known.
 */
export async function sessionDirectory(sessionId: string, env: Environment): Promise<string | undefined> {
  try {
    const [row] = await selectRows(env, 'SELECT directory FROM session WHERE id = ?', sessionId);
    const directory = row?.['directory'];
    return typeof directory === 'string' && directory !== '' ? directory : undefined;
  } catch {
    // The tables are another version's, the file is being made, or there is no SQLite: OpenCode itself will say what
    // is wrong.
    return undefined;
  }
}

/** Reads rows of OpenCode's database. None if there is no database; rejects if it can't be read. */
export async function selectRows(
  env: Environment,
  sql: string,
  ...values: readonly (string | number)[]
): Promise<readonly JsonObject[]> {
  const file = databaseFile(env);
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  // A pipe would be waited for.
  if (!facts.isFile()) throw new Error(`${file} is no file`);
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: true, timeout: 25 });
  try {
    return database
      .prepare(sql)
      .all(...values)
      .filter(isObject);
  } finally {
    database.close();
  }
}

/** The path of the database, as OpenCode (1.18.33) finds it. */
export function databaseFile(env: Environment): string {
  const data = join(env['XDG_DATA_HOME'] || join(userHome(env), '.local', 'share'), 'opencode');
  const own = env['OPENCODE_DB'] || 'opencode.db';
  return isAbsolute(own) ? own : join(data, own);
}

/** OpenCode knows a directory by its real path. */
export function isSameDirectory(one: string, other: string): boolean {
  return one === other || realPath(one) === realPath(other);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function worksElsewhere(directory: string, cwd: string): NoticeEvent {
  return notice(
    'warning',
    `OpenCode keeps a session in its own directory: it works in ${directory}, not in ${cwd}.`,
  );
}
