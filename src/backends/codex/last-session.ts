import { parseObject } from '../output/json.js';
import { object, text } from '../output/read-fields.js';
import { lastUsed, namesOf, readHead } from '../record/last-session.js';
import type { Environment } from '../record/types.js';
import { rollouts } from './session-record.js';

/** The thread that was used last in a directory, by Codex's rollouts: the one that `codex exec resume --last` takes. */
export async function lastSession(cwd: string, env: Environment): Promise<string | undefined> {
  const directories = await namesOf(cwd);
  return lastUsed(await rollouts(env), async (path) => {
    const [first = ''] = await readHead(path, (lines) => lines.length > 0);
    const { cwd: directory, id, source } = object(parseObject(first)?.['payload']);
    // The thread of a subagent names its parent there.
    if (typeof source === 'object' || !directories.includes(text(directory))) return undefined;
    return text(id) || undefined;
  });
}
