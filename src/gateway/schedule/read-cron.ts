import * as z from 'zod';
import { channelIdExpected, isChannelId } from '../../config/formats.js';
import { readFrontMatter } from '../../config/front-matter.js';
import { checkCron } from './next-run.js';
import { splitEntries } from './split-entries.js';
import type { Schedule, ScheduleOptions, ScheduleReading } from './types.js';

export const cronFile = 'cron.md';

const keys = ['schedule', 'channel', 'timezone', 'enabled'];

/** Defaults for entries that don't set these keys. */
const defaultsShape = {
  channel: z.string({ error: 'expected the id of a channel' }).trim().min(1),
  timezone: z.string({ error: 'expected a name like Europe/Berlin' }).trim().min(1),
};

/** `cron.md` has for each entry a heading of level 2, a list of settings, and the prompt. */
export function parseCron(text: string, options: ScheduleOptions): ScheduleReading {
  const {
    settings: defaults,
    body,
    bodyLine,
    problems: wrongDefaults,
  } = readFrontMatter(cronFile, text, defaultsShape);
  const { entries, stray } = splitEntries(body, bodyLine);
  const problems = [...wrongDefaults];
  if (stray !== undefined) {
    problems.push(
      `${cronFile} line ${stray}: a schedule outside of an entry; expected a line "## Name" above it`,
    );
  }
  const schedules: Schedule[] = [];
  const names = new Set<string>();
  for (const { name, line, settings, instructions } of entries) {
    const addProblem = (what: string) => problems.push(`${cronFile} line ${line}, "${name}": ${what}`);
    const before = problems.length;
    if (settings.get('enabled') === 'false') continue;
    for (const key of settings.keys()) {
      if (!keys.includes(key)) {
        addProblem(
          `unknown key "${key}"; expected ${keys.join(', ')}, and an empty line before the instructions`,
        );
      }
    }
    if (!['true', undefined].includes(settings.get('enabled'))) addProblem('enabled: expected true or false');
    if (name === '') addProblem('expected a name behind ##');
    if (names.has(name)) addProblem('there is another entry of this name');
    names.add(name);
    const expression = settings.get('schedule');
    const timezone = settings.get('timezone') ?? defaults.timezone;
    const channel = settings.get('channel') ?? defaults.channel ?? options.outputChannel;
    if (expression === undefined) addProblem('no schedule; expected a line like "- schedule: `0 9 * * 1-5`"');
    const wrong = expression === undefined ? undefined : checkCron(expression, timezone);
    if (wrong !== undefined) addProblem(wrong);
    if (channel === undefined) addProblem('no channel; add a line "- channel: …", or set OUTPUT_CHANNEL_ID');
    else if (!isChannelId(channel)) addProblem(`channel ${JSON.stringify(channel)}: ${channelIdExpected}`);
    if (instructions === '') addProblem('no instructions');
    if (problems.length > before || expression === undefined || channel === undefined) continue;
    schedules.push({
      name,
      source: 'cron',
      channel,
      text: instructions,
      timing: { type: 'cron', expression, timezone },
    });
  }
  return { schedules, problems };
}
