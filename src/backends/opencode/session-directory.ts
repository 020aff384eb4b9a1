import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type NoticeEvent, notice } from '../../core/chat-event.js';
import { loadSqlite } from '../../sqlite/load-sqlite.js';
import { isObject } from '../output/json.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory that OpenCode keeps a session in, read from its database: `opencode session list` takes two seconds.
 * Undefined if the session or the database is not known.
 */
export async function sessionDirectory(sessionId: string, env: Environment): Promise<string | undefined> {
  const file = databaseFile(env);
  if (!existsSync(file)) return undefined;
  try {
    const Sqlite = await loadSqlite();
    const database = new Sqlite(file, { readOnly: true, timeout: 25 });
    try {
      const row: unknown = database.prepare('SELECT directory FROM session WHERE id = ?').get(sessionId);
      const directory = isObject(row) ? row['directory'] : undefined;
      return typeof directory === 'string' && directory !== '' ? directory : undefined;
    } finally {
      database.close();
    }
  } catch {
    // The tables are another version's, the file is being made, or there is no SQLite: OpenCode itself will say what
    // is wrong.
    return undefined;
  }
}

/** The path of the database, as OpenCode (1.18.33) finds it. */
function databaseFile(env: Environment): string {
  const data = join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'opencode');
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
