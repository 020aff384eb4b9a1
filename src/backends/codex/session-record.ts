import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import { pathsBelow, toolsInFiles } from '../record/read-records.js';
import type { Environment, RecordedTools, RecordQuery } from '../record/types.js';
import { codexEntries } from './record-entries.js';

/** The tools of a turn by Codex's rollout: `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl` in its home. */
export function recordedTools(query: RecordQuery, env: Environment): Promise<RecordedTools> {
  return toolsInFiles(query, {
    directory: sessionsDirectory(env),
    ofSession: async (sessionId) =>
      (await rollouts(env)).filter((path) => path.endsWith(`-${sessionId}.jsonl`)),
    candidates: async () => (await rollouts(env)).filter((path) => isRecent(path, query)),
    entries: codexEntries,
  });
}

export async function rollouts(env: Environment): Promise<readonly string[]> {
  return (await pathsBelow(sessionsDirectory(env))).filter((path) => /rollout-[^/\\]*\.jsonl$/.test(path));
}

function sessionsDirectory(env: Environment): string {
  return join(env['CODEX_HOME'] || join(userHome(env), '.codex'), 'sessions');
}

const dayMs = 86_400_000;

/** The name has the time in the CLI's own time zone. It saves a look at every file of years. */
function isRecent(path: string, { since, clockSetBack }: RecordQuery): boolean {
  const day = /rollout-(\d{4}-\d\d-\d\d)T/.exec(path)?.[1];
  return clockSetBack || day === undefined || day >= new Date(since - dayMs).toISOString().slice(0, 10);
}
