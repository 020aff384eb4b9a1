import { userInfo } from 'node:os';
import { readEnvironment } from '../../config/read-environment.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { checkLayout } from '../../gateway/check-layout.js';
import { loadConfig } from '../../gateway/config.js';
import { turnoutProgram } from '../built-files.js';
import type { CommandPage } from '../command/command-page.js';
import { explainFailure } from '../command/explain-failure.js';
import { print } from '../command/print.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { say } from '../output/say.js';
import { leftBehind } from './left-behind.js';
import { describeUnit } from './systemd-unit.js';

export const page = {
  usage: ['service [--system]'],
  about:
    'Prints a systemd unit that runs the gateway as you are now: this Node.js, this PATH, this TURNOUT_HOME with its settings. Settings of your environment are not in it: they are named, for you to write into .env of TURNOUT_HOME. The agents work in WORKING_DIR, else in this directory, which must not hold TURNOUT_HOME. Nothing is installed; the first lines of the unit say how to.',
  flags: {
    system: {
      type: 'switch',
      about: "a unit of the system, which runs as the present user, instead of one of the user's own manager",
    },
    ...helpFlag,
  },
  examples: [
    ['turnout service > ~/.config/systemd/user/turnout.service'],
    ['service --system', 'for a machine that nobody logs in to'],
  ],
  exitCodes: '0 done · 1 the settings are wrong · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout service`: prints a systemd unit. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'service',
      page,
      read: (given) => {
        refuseOperands(given);
        return given.has('system');
      },
      run: printOrExplain,
    },
    argv,
  );
}

async function printOrExplain(system: boolean): Promise<number> {
  try {
    return await print(await printUnit(system));
  } catch (error) {
    return explainFailure(error, exitCodes.failed);
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
  if (lost !== undefined) say(lost);
  if (/[\\/]_npx[\\/]/.test(turnoutProgram)) {
    say('this copy is in the cache of npx, which may be emptied: install it first.');
  }
  return describeUnit({
    node: process.execPath,
    program: turnoutProgram,
    workingDir,
    path: process.env['PATH'],
    home,
    shutdownGraceMs,
    user: system ? userInfo().username : undefined,
  });
}
