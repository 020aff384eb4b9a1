import { stat } from 'node:fs/promises';
import { childEnvironment } from '../backends/launch/child-environment.js';
import type { BackendAdapter } from '../backends/types.js';
import { whyUnusable } from '../backends/why-unusable.js';
import { TurnoutError } from '../core/errors.js';
import { checkTokenFile, shortestToken } from './channels/http/http-token.js';
import { isLoopback } from './channels/http/own-hosts.js';
import { checkAgentUser } from './check-agent-user.js';
import { checkLayout } from './check-layout.js';
import type { Environment, GatewayConfig } from './config.js';
import { checkPrograms } from './hooks/check-programs.js';
import { readHooks } from './hooks/read-hooks.js';
import { readSchedules } from './schedule/read-schedules.js';

/** R9: rejects with everything that would keep the gateway from working, before it begins, in one error. */
export async function checkStart(
  config: GatewayConfig,
  backend: BackendAdapter | undefined,
  env: Environment,
  settingsProblems: readonly string[] = [],
): Promise<void> {
  const hooks = await readHooks(config.configDir);
  const problems = [
    ...settingsProblems,
    ...(backend === undefined ? [] : await checkBackend(config, backend)),
    ...(backend === undefined ? [] : await checkAgentUser(config, backend)),
    ...(await checkDirectory('WORKING_DIR', config.workingDir)),
    ...(await checkConfigDirectory(config.configDir)),
    ...(await checkLayout(config)),
    ...(config.httpToken === undefined ? await checkKeptToken(config.home) : []),
    ...checkReach(config),
    ...hooks.problems,
    ...(await checkPrograms(hooks.named, config.configDir, childEnvironment(env))),
    ...(await readSchedules(config.configDir, { outputChannel: config.outputChannelId })).problems,
  ];
  if (problems.length === 0) return;
  const list = problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`).join('\n');
  throw new TurnoutError('bad_request', `The gateway can't start:\n${list}`, {
    hint: 'Settings come from flags, the environment, and .env and config.yaml in TURNOUT_HOME.',
  });
}

async function checkBackend(config: GatewayConfig, backend: BackendAdapter): Promise<readonly string[]> {
  const reason = await whyUnusable(backend);
  if (reason === undefined) return [];
  return [`The backend ${backend.name()} (${config.backendCliPath}) can't be used: ${reason}`];
}

/** CONFIG_DIR need not exist: then nothing is read. */
async function checkConfigDirectory(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? [] : checkDirectory('CONFIG_DIR', path);
}

async function checkKeptToken(home: string): Promise<readonly string[]> {
  const problem = await checkTokenFile(home);
  return problem === undefined ? [] : [problem];
}

/** Whoever opens the gateway to a network says with which token: nobody has one by accident. */
function checkReach({ httpHost, httpToken }: GatewayConfig): readonly string[] {
  if (isLoopback(httpHost) || (httpToken?.length ?? 0) >= shortestToken) return [];
  const what = httpToken === undefined ? 'needs a token that you have set' : 'needs a longer token';
  return [
    `HTTP_HOST=${httpHost}: other machines can connect there, which ${what}: HTTP_TOKEN, or the file HTTP_TOKEN_FILE, of at least ${shortestToken} characters.
To make one: (umask 077; openssl rand -hex 32 > ~/.turnout-token), then start with HTTP_TOKEN_FILE=$HOME/.turnout-token
To stay on this machine: HTTP_HOST=127.0.0.1`,
  ];
}

async function checkDirectory(name: string, path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return [];
  return [`${name}=${path}: ${found === undefined ? 'there is no such directory' : 'this is no directory'}`];
}
