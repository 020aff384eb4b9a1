import { basename } from 'node:path';
import { parseObject } from '../output/json.js';
import { lastUsed, namesOf, readHead } from '../record/last-session.js';
import type { Environment } from '../record/types.js';
import { transcriptsOf } from './session-record.js';

/** The session that was used last in a directory, by Claude's transcripts: the one that `claude --continue` takes. */
export async function lastSession(cwd: string, env: Environment): Promise<string | undefined> {
  const directories = await namesOf(cwd);
  return lastUsed(await transcriptsOf(cwd, env), async (path) => {
    const id = basename(path, '.jsonl');
    // The transcripts of subagents have other names.
    if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id)) return undefined;
    // A directory's name stands for several directories: `a-b` and `a/b`.
    const lines = await readHead(path, (whole) => whole.some((line) => directoryOf(line) !== undefined));
    const named = lines.map(directoryOf);
    return directories.some((directory) => named.includes(directory)) ? id : undefined;
  });
}

function directoryOf(line: string): unknown {
  return parseObject(line)?.['cwd'];
}
