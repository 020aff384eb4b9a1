import { writeSync } from 'node:fs';
import { sweepAfterCrash } from '../backends/launch/sweep-after-crash.js';
import { type Environment, given, trustedHome } from '../config/home-directory.js';
import { defaultPoolLimits, type PoolLimits } from '../config/limits.js';
import { readEnvironment } from '../config/read-environment.js';
import { settingWithOrigin } from '../config/setting-origins.js';
import { readSettings } from '../config/settings.js';
import { usesSetting } from '../config/used-settings.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { late, within } from '../core/wait.js';
import { buildOf } from '../host/build.js';
import { Frames } from '../host/frames.js';
import { Host } from '../host/host.js';
import { type ClientMessage, type HostMessage, type HostStatus, hostProtocol } from '../host/messages.js';
import { findHost } from '../host/reach-host.js';
import { turnoutProgram } from './built-files.js';
import type { CommandPage } from './command/command-page.js';
import { onEndingSignal } from './command/ending-signals.js';
import { jsonFlags, wantsJson } from './command/json-flags.js';
import { print } from './command/print.js';
import { wrongUsage } from './command/read-flags.js';
import { helpFlag, runCommand } from './command/run-command.js';
import { unknownSubcommand } from './command/unknown-command.js';
import { describeHost } from './host-status.js';
import { say } from './output/say.js';

/** The host ends when nobody has used it for so long. */
const idleMs = 10 * 60_000;

export const page = {
  usage: ['host [status] [--json]', 'host stop [--json]'],
  about:
    'The resident host of `turnout run --warm`: it keeps agent CLIs started, so that a run does not wait for one. The first run with --warm starts it; ten minutes without a turn end it.',
  subcommands: {
    status: { about: 'whether it runs, and what it keeps' },
    stop: { about: 'end it and all that it keeps, after the turns that are running' },
  },
  flags: { ...jsonFlags, ...helpFlag },
  examples: [
    ['run --warm "explain this repository"', 'starts it, if none runs'],
    ['host status'],
    ['host stop'],
  ],
  exitCodes: '0 done · 1 no host runs (status) · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout host`: shows and ends the resident host. `serve` is what a client starts. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'host',
      page,
      read: (given) => {
        const [act = 'status', ...rest]: readonly string[] = [...given.positionals, ...given.rawArgs];
        if (act !== 'serve' && act !== 'status' && act !== 'stop')
          throw unknownSubcommand('host', act, page.subcommands);
        if (rest.length > 0)
          throw wrongUsage(
            'host',
            `nothing is expected behind ${act}, got ${JSON.stringify(rest.join(' '))}`,
          );
        return { act, json: wantsJson(given) } as const;
      },
      run: async ({ act, json }) => {
        const { home, pool, problems } = await hostSettings();
        if (act === 'serve') return await serve(home, pool);
        // The host itself has nobody to tell: a client has started it.
        for (const problem of problems) say(`${problem}; the host takes its default.`);
        return await ask(home, act, json);
      },
    },
    argv,
  );
}

/** A wrong limit has its default: a run with --warm must not fail for it. */
async function hostSettings() {
  const { settings, origins } = await readEnvironment({
    environment: process.env,
    command: 'host',
    wrongFiles: 'report',
  });
  const { values, problems } = readSettings(settings, (name) => usesSetting('host', name));
  const wrong = Object.fromEntries(problems.map(({ name }) => [name, undefined]));
  const pool: PoolLimits = {
    ...defaultPoolLimits,
    maxProcesses: values.POOL_MAX_PROCESSES,
    maxResidentBytes: values.POOL_MAX_MEMORY_MB * 1024 ** 2,
    idleMs: values.POOL_IDLE_MS,
    ...limitsUnless({ ...settings, ...wrong }),
  };
  return {
    home: trustedHome(settings),
    pool,
    problems: problems.map(
      ({ name, expected }) => `${settingWithOrigin(name, origins, `${name}=${settings[name]}`)}: ${expected}`,
    ),
  };
}

/** Less than a gateway's: this is a convenience on a machine where somebody works. */
function limitsUnless(settings: Environment): Partial<PoolLimits> {
  return {
    ...(given(settings['POOL_MAX_PROCESSES']) ? {} : { maxProcesses: 6 }),
    ...(given(settings['POOL_MAX_MEMORY_MB']) ? {} : { maxResidentBytes: 3 * 1024 ** 3 }),
  };
}

async function serve(home: string, limits: PoolLimits): Promise<number> {
  const swept = sweepAfterCrash({ TURNOUT_HOME: home });
  const host = await Host.start({ home, build: buildOf(turnoutProgram), limits, idleMs: idleTime() });
  // Also if another host was quicker: the client finds that one.
  tellReady();
  if (host === undefined) return exitCodes.done;
  const release = onEndingSignal(() => host.stop({ now: true }));
  await host.ended;
  await swept;
  release();
  return exitCodes.done;
}

/** Tests don't wait for ten minutes. */
function idleTime(): number {
  const given = Number(process.env['TURNOUT_HOST_IDLE_MS']);
  return Number.isFinite(given) && given > 0 ? given : idleMs;
}

function tellReady(): void {
  try {
    writeSync(3, 'ready\n');
  } catch {
    // Nobody waits for it.
  }
}

async function ask(home: string, type: 'status' | 'stop', json: boolean): Promise<number> {
  let status: HostStatus | undefined;
  try {
    status = await request(home, type);
  } catch (error) {
    throw new TurnoutError('unknown', `The host can't be reached: ${(error as Error).message}`, {
      hint: 'Runs with --warm start their CLI themselves until that is put right.',
    });
  }
  const text = status === undefined ? 'No host runs.\n' : describeHost(status, type);
  return print(
    json ? `${JSON.stringify(shown(status))}\n` : text,
    status === undefined && type === 'status' ? exitCodes.failed : exitCodes.done,
  );
}

const answerMs = 5000;

async function request(home: string, type: 'status' | 'stop'): Promise<HostStatus | undefined> {
  const socket = await findHost(home);
  if (socket === undefined) return undefined;
  const connection = new Frames<HostMessage, ClientMessage>(socket);
  try {
    await connection.send({ type, protocol: hostProtocol });
    const messages = connection.read();
    const first = await within(answerMs, messages.next());
    if (first === late) throw new Error('it does not answer: it is busy, or was stopped');
    // It closes the connection when it has done what it was asked for.
    for await (const _ of messages);
    return first.value?.type === 'status' ? first.value : undefined;
  } finally {
    connection.destroy();
  }
}

function shown(status: HostStatus | undefined): object {
  if (status === undefined) return { running: false };
  const { type: _, ...facts } = status;
  return { running: true, ...facts };
}
