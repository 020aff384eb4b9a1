import { existsSync } from 'node:fs';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { duration } from '../../core/format.js';
import { oneLine } from '../../core/text.js';
import type { ScheduleView } from '../../gateway/channels/http/wire.js';
import type { CommandPage } from '../command/command-page.js';
import { wrongUsage } from '../command/read-flags.js';
import { table } from '../output/table.js';
import { type ClientRun, clientFlags, printObject, runClientCommand } from './client-command.js';

export const page = {
  usage: ['schedule [options]'],
  about:
    'The next run of each heartbeat and cron entry (docs/schedules.md), the next one first. If no gateway is running, they are read from its files: nothing runs until it is started.',
  flags: clientFlags,
  examples: [['schedule'], ["schedule --json | jq -r '.schedules[0].nextRunAt'"]],
  exitCodes:
    "0 done · 1 something in the files is wrong · 2 wrong usage · 3 with --url: the gateway can't be reached",
} as const satisfies CommandPage;

/** `turnout schedule`: what the gateway is going to say to its agents by itself. */
export function main(argv: readonly string[]): Promise<number> {
  return runClientCommand(
    {
      name: 'schedule',
      page,
      parse: ({ positionals }) => {
        if (positionals.length > 0)
          throw wrongUsage('schedule', `unexpected: ${JSON.stringify(positionals[0])}`);
        return {};
      },
      run,
    },
    argv,
  );
}

async function run(_: object, { client, terminal, json, home }: ClientRun): Promise<number> {
  const { schedules, running, problems } = await client.schedules().then(
    (view) => ({ ...view, running: true }),
    async (error: unknown) => {
      const isGone = error instanceof TurnoutError && error.code === 'network';
      if (!isGone || home === undefined) throw error;
      return { ...(await fromFiles(home)), running: false };
    },
  );
  const isEmpty = schedules.length === 0;
  if (json) await terminal.write(printObject({ running, schedules, problems }));
  else if (!isEmpty || problems.length === 0) await terminal.write(list(schedules, running, Date.now()));
  for (const problem of problems) terminal.say(problem);
  if (problems.length > 0 && running && !isEmpty)
    terminal.say('The gateway goes by the list above until that is right.');
  if (!running && schedules.length > 0)
    terminal.say('No gateway is running: nothing of it runs until `turnout gateway` is started.');
  return problems.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** As a gateway that is started now would have them. */
async function fromFiles(
  home: string,
): Promise<{ readonly schedules: readonly ScheduleView[]; readonly problems: readonly string[] }> {
  const [{ readEnvironment }, { readConfig }, { readSchedules }, { plannedRun }, { keyOf }] =
    await Promise.all([
      import('../../config/read-environment.js'),
      import('../../gateway/config.js'),
      import('../../gateway/schedule/read-schedules.js'),
      import('../../gateway/schedule/planned-run.js'),
      import('../../gateway/schedule/types.js'),
    ]);
  const { settings } = await readEnvironment({ environment: { ...process.env, TURNOUT_HOME: home } });
  const { configDir, outputChannelId: outputChannel } = readConfig(settings).config;
  const { schedules, problems } = await readSchedules(configDir, { outputChannel });
  const lastRun = await openLastRuns(home);
  try {
    const now = Date.now();
    const runs = await Promise.all(
      schedules.map(async (schedule) => plannedRun(schedule, (await lastRun.of(keyOf(schedule))) ?? now)),
    );
    const soonestFirst = runs.toSorted((one, other) => (one.nextRunAt ?? 0) - (other.nextRunAt ?? 0));
    const views = soonestFirst.map(({ nextRunAt, ...run }) => ({
      ...run,
      ...(nextRunAt === undefined ? {} : { nextRunAt: new Date(nextRunAt).toISOString() }),
    }));
    return { schedules: views, problems };
  } finally {
    await lastRun.close();
  }
}

async function openLastRuns(home: string) {
  const { archiveFile } = await import('../../gateway/archive/open-archive.js');
  const file = archiveFile(home);
  if (!existsSync(file)) return { of: async () => undefined, close: async () => undefined };
  const { openSqliteStore } = await import('../../store/sqlite/sqlite-store.js');
  const store = await openSqliteStore(file, { readOnly: true });
  return { of: (key: string) => store.lastRun(key), close: () => store.close() };
}

function list(schedules: readonly ScheduleView[], running: boolean, now: number): string {
  if (schedules.length === 0)
    return 'Nothing is scheduled: heartbeat.md and cron.md in CONFIG_DIR say what is (docs/schedules.md).\n';
  const rows = schedules.map(({ name, channel, times, nextRunAt }) => [
    nextRunAt === undefined ? 'never' : localTime(Date.parse(nextRunAt)),
    nextRunAt === undefined ? '' : inWords(Date.parse(nextRunAt) - now, running),
    oneLine(name, 40),
    oneLine(channel, 40),
    oneLine(times, 60),
  ]);
  return table([['NEXT', '', 'WHAT', 'CHANNEL', 'WHEN'], ...rows], ['left', 'left', 'left', 'left', 'left']);
}

function inWords(ms: number, running: boolean): string {
  if (ms > 0) return `in ${duration(ms)}`;
  return running ? 'waits for the last run' : 'when it is started';
}

/** In the time zone of whoever reads it: `Mon 2026-01-31 14:03`. */
function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getDay()];
  return `${weekday} ${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
