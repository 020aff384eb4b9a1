import { spawnSync } from 'node:child_process';
import { agentRoot } from '../backends/launch/scratch-files.js';
import type { BackendAdapter } from '../backends/types.js';
import { asUser } from '../process/process-user.js';
import type { GatewayConfig } from './config.js';

/** Tries, as AGENT_USER, what a turn needs: a CLI that fails at it says something else, or nothing. */
const attempt = `
test -x "$1" || echo cli
cd "$2" && test -w . || echo work
test -x "$3" || echo scratch
test -r "$4" && echo home
true`;

export async function checkAgentUser(
  config: GatewayConfig,
  backend: BackendAdapter,
): Promise<readonly string[]> {
  const { agentUser: user, workingDir, home } = config;
  if (user === undefined) return [];
  const cli = await backend.locate?.().catch(() => undefined);
  // A CLI that is not there is a problem of its own.
  const paths = [cli?.command ?? '/bin/sh', workingDir, agentRoot(), home];
  const { command, args } = asUser(user, '/bin/sh', ['-c', attempt, 'sh', ...paths]);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: '/', encoding: 'utf8', env: {} });
  if (status !== 0) return [`AGENT_USER=${user.name}: nothing can be started as this user: ${stderr.trim()}`];
  const sentences: Readonly<Record<string, string>> = {
    cli: `may not run ${paths[0]}: install the CLI where every user can reach it`,
    work: `can't work in WORKING_DIR (${workingDir}): make it that user's`,
    scratch: `can't reach ${paths[2]}, where files for its turns are: set TMPDIR to a directory that all users can enter`,
    home: `can read TURNOUT_HOME (${home}), which holds secrets: chmod 700 ${home}`,
  };
  const found = stdout.split('\n').flatMap((word) => sentences[word] ?? []);
  return found.map((sentence) => `AGENT_USER=${user.name}: this user ${sentence}`);
}
