import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { homeDirectory } from '../../config/home-directory.js';
import { lastUsed } from '../record/last-session.js';
import { namesIn } from '../record/read-records.js';
import type { Environment } from '../record/types.js';

/** True for Turnout's demo agent, which is driven as Claude and keeps its sessions apart from Claude's own. */
export function isDemoAgent(cliPath: string): boolean {
  return /(^|[\\/])demo-agent[\\/]main\.js$/.test(cliPath);
}

/** The demo agent's session that was used last in a directory: `demo-agent/<hash of the directory>/<id>.json` in TURNOUT_HOME. */
export async function lastDemoSession(cwd: string, env: Environment): Promise<string | undefined> {
  const real = await realpath(cwd).catch(() => cwd);
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16);
  const directory = join(homeDirectory(env), 'demo-agent', hash);
  const files = (await namesIn(directory)).filter((name) => /^[0-9a-f]{8}-[0-9a-f-]{27}\.json$/.test(name));
  return lastUsed(
    files.map((name) => join(directory, name)),
    async (path) => basename(path, '.json'),
  );
}
