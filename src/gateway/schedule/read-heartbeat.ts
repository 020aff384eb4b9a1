import * as z from 'zod';
import { channelIdExpected, isChannelId } from '../../config/formats.js';
import { readFrontMatter } from '../../config/front-matter.js';
import type { ScheduleOptions, ScheduleReading } from './types.js';

export const heartbeatFile = 'heartbeat.md';

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const intervalExpected = 'expected a number with a unit, from 1s to 365d: 90s, 30m, 2h, 1d';

const shape = {
  interval: z.string({ error: intervalExpected }).transform((text, context) => {
    const [, count, unit] = /^(\d{1,9})\s*([smhd])$/.exec(text.trim()) ?? [];
    const ms = Number(count) * units[unit as keyof typeof units];
    if (ms >= units.s && ms <= 365 * units.d) return ms;
    context.addIssue(intervalExpected);
    return z.NEVER;
  }),
  channel: z.string({ error: 'expected the id of a channel' }).trim().min(1),
  enabled: z.enum(['true', 'false'], { error: 'expected true or false' }),
};

/** `heartbeat.md` has the interval and the channel in its front matter, and the prompt in its body. */
export function parseHeartbeat(text: string, options: ScheduleOptions): ScheduleReading {
  const none = { schedules: [], problems: [] };
  if (text.trim() === '') return none;
  const { settings, body, problems } = readFrontMatter(heartbeatFile, text, shape);
  if (settings.enabled === 'false') return none;
  const missing: string[] = [];
  const channel = settings.channel ?? options.outputChannel;
  const intervalIsWrong = problems.some((problem) => problem.includes(': interval: '));
  if (settings.interval === undefined && !intervalIsWrong)
    missing.push(`${heartbeatFile}: no interval in the front matter; ${intervalExpected}`);
  if (channel === undefined)
    missing.push(`${heartbeatFile}: no channel; name one in the front matter, or set OUTPUT_CHANNEL_ID`);
  else if (!isChannelId(channel))
    missing.push(`${heartbeatFile}: channel ${JSON.stringify(channel)}: ${channelIdExpected}`);
  if (body.trim() === '') missing.push(`${heartbeatFile}: no instructions below the front matter`);
  const all = [...problems, ...missing];
  if (all.length > 0 || settings.interval === undefined || channel === undefined) {
    return { schedules: [], problems: all };
  }
  const timing = { type: 'every', ms: settings.interval } as const;
  return {
    schedules: [{ name: 'heartbeat', source: 'heartbeat', channel, text: body.trim(), timing }],
    problems: [],
  };
}
