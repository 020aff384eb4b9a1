import { join } from 'node:path';
import { type Environment, given } from '../../config/home-directory.js';
import { isSettingName } from '../../config/settings.js';
import { TurnoutError } from '../../core/errors.js';
import { makeDirectory } from '../../core/make-directory.js';
import { demoAgentProgram } from '../built-files.js';
import { demoHome } from './demo-home.js';

/** The settings of the environment that count for a demo: where it listens, what it logs, where its agent works. */
const kept: ReadonlySet<string> = new Set([
  ...['WORKING_DIR', 'HTTP_HOST', 'HTTP_PORT', 'HTTP_TOKEN', 'HTTP_TOKEN_FILE', 'LOG_LEVEL', 'LOG_FORMAT'],
  ...['HTTP_ALLOWED_HOSTS', 'HTTP_MAX_CONNECTIONS', 'HTTP_MAX_REQUESTS_PER_MINUTE'],
  ...['BACKEND_LIVE', 'PERMISSION_MODE', 'QUEUE_MODE', 'MAX_CONCURRENT_TURNS', 'MAX_QUEUE_DEPTH'],
  ...['QUERY_TIMEOUT_MS', 'PERMISSION_TIMEOUT_MS', 'RETRY_DELAY_MS', 'SHUTDOWN_GRACE_MS'],
]);

/** The environment of a demo: its own home, its own agent, a directory for that to work in. */
export function readDemoEnvironment(environment: Environment, flags: Environment = {}) {
  const home = demoHome({ ...environment, ...flags });
  const own = Object.entries(environment).filter(([name]) => !isSettingName(name) || kept.has(name));
  const workingDir = given(environment['WORKING_DIR']) ?? dataDirectory(join(home, 'work'));
  const inherited = { ...Object.fromEntries(own), TURNOUT_HOME: home };
  const fixed = { BACKEND_CLI_PATH: demoAgentProgram, AGENT_BACKEND: 'claude', WORKING_DIR: workingDir };
  return { settings: { ...inherited, ...flags, ...fixed, TURNOUT_HOME: home }, inherited };
}

/** Makes a directory of the demo's data, and says what to do if that can't be. */
export function dataDirectory(path: string): string {
  try {
    makeDirectory(path);
    return path;
  } catch (cause) {
    throw new TurnoutError(
      'bad_request',
      `The data directory ${path} can't be used: ${(cause as Error).message}`,
      { hint: 'Set TURNOUT_HOME to a directory that can be written.', cause },
    );
  }
}
