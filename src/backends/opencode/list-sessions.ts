import { isSessionId } from '../../core/session-id.js';
import { number, text } from '../output/read-fields.js';
import { namesOf } from '../record/last-session.js';
import { titleOf } from '../record/list-sessions.js';
import type { Environment, ListedSession } from '../record/types.js';
import { selectRows } from './session-directory.js';

/** OpenCode knows a directory by its real path. Sessions of subagents have a parent. */
const sessionsIn = `
  SELECT id, time_updated AS at FROM session
  WHERE directory IN (?, ?) AND parent_id IS NULL AND time_archived IS NULL ORDER BY time_updated DESC LIMIT ?`;

/** A prompt may have a conversation of 48,000 characters in front of it, which was handed over. What OpenCode adds to a prompt (the text of a file, a reminder) is `synthetic`. */
const firstPrompt = `
  SELECT substr(json_extract(part.data, '$.text'), 1, 100000) AS prompt
  FROM part JOIN message ON message.id = part.message_id
  WHERE part.session_id = ? AND json_extract(message.data, '$.role') = 'user'
    AND json_extract(part.data, '$.type') = 'text' AND json_extract(part.data, '$.synthetic') IS NOT 1
  ORDER BY part.rowid LIMIT 1`;

/** The sessions of a directory, by OpenCode's database (1.18.33). */
export async function listSessions(
  cwd: string,
  limit: number,
  env: Environment,
): Promise<readonly ListedSession[]> {
  const [given = cwd, real = cwd] = await namesOf(cwd);
  const sessions: ListedSession[] = [];
  for (const row of await selectRows(env, sessionsIn, given, real, limit)) {
    const sessionId = text(row['id']);
    // A damaged row of one session is no reason to hide the others.
    const [first] = await selectRows(env, firstPrompt, sessionId).catch(() => []);
    const title = titleOf(text(first?.['prompt']));
    if (isSessionId(sessionId) && title !== '')
      sessions.push({ sessionId, title, updatedAt: number(row['at']) });
  }
  return sessions;
}
