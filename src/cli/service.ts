import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../config/read-environment.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { checkLayout } from '../gateway/check-layout.js';
import { loadConfig } from '../gateway/config.js';
import { leftBehind } from './left-behind.js';
import { describeUnit } from './systemd-unit.js';

export const usageText = `Usage: turnout service [--system]

Prints a systemd unit that runs the gateway as you are now: this Node.js, this PATH, this TURNOUT_HOME with its
settings. Settings of your environment are not in it: they are named, for you to write into .env of TURNOUT_HOME.
The agents work in WORKING_DIR, else in this directory, which must not hold TURNOUT_HOME. Nothing is
installed; the first lines of the unit say how to.

  --system   a unit of the system, which runs as the present user, instead of one of the user's own manager

Exit codes: 0 done · 1 the settings are wrong · 2 wrong usage
`;

/** `turnout service`: prints a systemd unit. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { system: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) process.stdout.write(usageText);
    else process.stdout.write(await printUnit(values.system ?? false));
    return exitCodes.done;
  } catch (error) {
    const isUsage = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage && !(error instanceof TurnoutError)) throw error;
    const text = error instanceof TurnoutError ? error.explanation : (error as Error).message;
    process.stderr.write(`turnout: ${text}${isUsage ? '\nSee `turnout help service`.' : ''}\n`);
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

async function printUnit(system: boolean): Promise<string> {
  const { settings, origins } = await readEnvironment({ environment: process.env });
  const config = loadConfig(settings, {}, origins);
  const { home, shutdownGraceMs, workingDir } = config;
  const [exposed] = await checkLayout(config);
  if (exposed !== undefined) {
    throw new TurnoutError('bad_request', exposed, {
      hint: 'Run `turnout service` in the directory where the agents are to work, or set WORKING_DIR.',
    });
  }
  const files = await readEnvironment({ environment: { HOME: process.env['HOME'], TURNOUT_HOME: home } });
  const lost = leftBehind(process.env, files.settings, home);
  if (lost !== undefined) process.stderr.write(`turnout: ${lost}\n`);
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  if (/[\\/]_npx[\\/]/.test(program)) {
    process.stderr.write(
      'turnout: this copy is in the cache of npx, which may be emptied: install it first.\n',
    );
  }
  return describeUnit({
    node: process.execPath,
    program,
    workingDir,
    path: process.env['PATH'],
    home,
    shutdownGraceMs,
    user: system ? userInfo().username : undefined,
  });
}
