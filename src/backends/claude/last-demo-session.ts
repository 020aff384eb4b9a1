import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { homeDirectory } from '../../config/home-directory.js';
import { parseObject } from '../output/json.js';
import { objects, text } from '../output/read-fields.js';
import { lastExchangeOf, type Said } from '../record/last-exchange.js';
import { lastUsed, readHead } from '../record/last-session.js';
import { listFiles } from '../record/list-sessions.js';
import { namesIn } from '../record/read-records.js';
import type { Environment, Exchange, ListedSession } from '../record/types.js';

/** True for Turnout's demo agent, which is driven as Claude and keeps its sessions apart from Claude's own. */
export function isDemoAgent(cliPath: string): boolean {
  return /(^|[\\/])demo-agent[\\/]main\.js$/.test(cliPath);
}

/** The demo agent's session that was used last in a directory: `demo-agent/<hash of the directory>/<id>.json` in TURNOUT_HOME. */
export async function lastDemoSession(cwd: string, env: Environment): Promise<string | undefined> {
  return lastUsed(await conversations(cwd, env), async (path) => basename(path, '.json'));
}

/** The demo agent's sessions of a directory. */
export async function listDemoSessions(
  cwd: string,
  limit: number,
  env: Environment,
): Promise<readonly ListedSession[]> {
  return listFiles(await conversations(cwd, env), limit, async (path) => {
    const stored = parseObject((await readHead(path, () => false)).join('\n'));
    const prompt = text(objects(stored?.['turns'])[0]?.['prompt']);
    return { sessionId: basename(path, '.json'), prompt };
  });
}

export async function lastDemoExchange(
  sessionId: string,
  cwd: string,
  env: Environment,
): Promise<Exchange | undefined> {
  const path = (await conversations(cwd, env)).find((one) => basename(one, '.json') === sessionId);
  if (path === undefined) return undefined;
  const stored = parseObject((await readHead(path, () => false)).join('\n'));
  const said = objects(stored?.['turns']).flatMap(({ prompt, answer }): readonly Said[] => [
    { by: 'user', text: text(prompt) },
    { by: 'agent', text: text(answer) },
  ]);
  return lastExchangeOf(said);
}

async function conversations(cwd: string, env: Environment): Promise<readonly string[]> {
  const real = await realpath(cwd).catch(() => cwd);
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16);
  const directory = join(homeDirectory(env), 'demo-agent', hash);
  const files = (await namesIn(directory)).filter((name) => /^[0-9a-f]{8}-[0-9a-f-]{27}\.json$/.test(name));
  return files.map((name) => join(directory, name));
}
