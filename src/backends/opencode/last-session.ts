import { isSessionId } from '../../core/session-id.js';
import { text } from '../output/read-fields.js';
import type { Environment } from '../record/types.js';
import { isSameDirectory, selectRows } from './session-directory.js';

/**
 * The session that was used last in a directory, by OpenCode's database: the one that `opencode run --continue` takes.
 * Sessions of subagents have a parent.
 */
export async function lastSession(cwd: string, env: Environment): Promise<string | undefined> {
  const sql =
    'SELECT id, directory FROM session WHERE parent_id IS NULL AND time_archived IS NULL ORDER BY time_updated DESC';
  const rows = await selectRows(env, sql);
  const last = rows.find(
    (row) => isSameDirectory(text(row['directory']), cwd) && isSessionId(text(row['id'])),
  );
  return last === undefined ? undefined : text(last['id']);
}
