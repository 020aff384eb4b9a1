import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../config/read-environment.js';
import { TurnoutError } from '../core/errors.js';
import { loadConfig } from '../gateway/config.js';
import { exitCodes } from './exit-codes.js';
import { describeUnit } from './systemd-unit.js';

export const usageText = `Usage: turnout service [--system]

Prints a systemd unit that runs the gateway from this directory, with its .env file, as you are now: this Node.js,
this PATH, this TURNOUT_HOME. Nothing is installed; the first lines of the unit say how to.

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
    else process.stdout.write(printUnit(values.system ?? false));
    return exitCodes.done;
  } catch (error) {
    const isUsage = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage && !(error instanceof TurnoutError)) throw error;
    const text = error instanceof TurnoutError ? error.explanation : (error as Error).message;
    process.stderr.write(`turnout: ${text}${isUsage ? '\nSee `turnout help service`.' : ''}\n`);
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

function printUnit(system: boolean): string {
  const workingDirectory = process.cwd();
  const { home, shutdownGraceMs } = loadConfig(readEnvironment(workingDirectory, process.env));
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  if (/[\\/]_npx[\\/]/.test(program)) {
    process.stderr.write(
      'turnout: this copy is in the cache of npx, which may be emptied: install it first.\n',
    );
  }
  return describeUnit({
    node: process.execPath,
    program,
    workingDirectory,
    hasSettingsFile: existsSync(join(workingDirectory, '.env')),
    path: process.env['PATH'],
    home: process.env['TURNOUT_HOME'] ? home : undefined,
    shutdownGraceMs,
    user: system ? userInfo().username : undefined,
  });
}
