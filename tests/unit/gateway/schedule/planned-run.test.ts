import { expect, it } from 'vitest';
import { plannedRun } from '../../../../src/gateway/schedule/planned-run.js';
import type { Timing } from '../../../../src/gateway/schedule/types.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const run = (timing: Timing) =>
  plannedRun({ name: 'n', source: 'cron', channel: 'ops', text: 'secret', timing }, at);

it.each([
  [{ type: 'every', ms: 1_800_000 }, 'every 30m', at + 1_800_000],
  [{ type: 'every', ms: 90_000 }, 'every 90s', at + 90_000],
  [{ type: 'every', ms: 86_400_000 }, 'every 1d', at + 86_400_000],
  [{ type: 'cron', expression: '0 9 * * *', timezone: 'UTC' }, '0 9 * * * (UTC)', Date.UTC(2026, 0, 2, 9)],
] as const)('the next run of %j (18.5)', (timing, times, nextRunAt) => {
  expect(run(timing)).toEqual({ name: 'n', source: 'cron', channel: 'ops', times, nextRunAt });
});
