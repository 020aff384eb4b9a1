import { text } from '../output/read-fields.js';
import { lastExchangeOf } from '../record/last-exchange.js';
import type { Environment, Exchange } from '../record/types.js';
import { selectRows } from './session-directory.js';

/** The newest first. What OpenCode adds to a prompt (the text of a file, a reminder) is `synthetic`. */
const lastTexts = `
  SELECT json_extract(message.data, '$.role') AS role,
    substr(json_extract(part.data, '$.text'), 1, 1000000) AS words
  FROM part JOIN message ON message.id = part.message_id
  WHERE part.session_id = ? AND json_extract(part.data, '$.type') = 'text'
    AND json_extract(part.data, '$.synthetic') IS NOT 1
  ORDER BY part.rowid DESC LIMIT 200`;

/** The last exchange of a session, by OpenCode's database (1.18.33). */
export async function lastExchange(
  sessionId: string,
  _cwd: string,
  env: Environment,
): Promise<Exchange | undefined> {
  const rows = await selectRows(env, lastTexts, sessionId);
  const said = rows.map(
    ({ role, words }) => ({ by: role === 'user' ? 'user' : 'agent', text: text(words) }) as const,
  );
  return lastExchangeOf(said.reverse());
}
