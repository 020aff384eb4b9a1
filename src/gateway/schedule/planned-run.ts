import { nextRun } from './next-run.js';
import type { Schedule, Timing } from './types.js';

/** The next run of a schedule. */
export interface PlannedRun {
  readonly name: string;
  readonly source: Schedule['source'];
  readonly channel: string;
  /** The times as they are written: `every 30m`, or `0 9 * * 1-5 (Europe/Berlin)`. */
  readonly times: string;
  /** Absent if none comes any more. A time that is over: it waits for an earlier run, or for the gateway. */
  readonly nextRunAt?: number | undefined;
}

/** What the schedules come to. */
export interface Plan {
  readonly runs: readonly PlannedRun[];
  /** What is wrong in the files: it does not run. */
  readonly problems: readonly string[];
}

/** `doneUntil` is the time up to which the schedule's runs are settled. */
export function plannedRun(schedule: Schedule, doneUntil: number): PlannedRun {
  const { name, source, channel, timing } = schedule;
  return { name, source, channel, times: timesOf(timing), nextRunAt: nextRun(timing, doneUntil) };
}

function timesOf(timing: Timing): string {
  if (timing.type === 'every') return `every ${interval(timing.ms)}`;
  const { expression, timezone } = timing;
  return timezone === undefined ? expression : `${expression} (${timezone})`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

function interval(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms % each === 0) ?? ['s', 1000];
  return `${ms / length}${unit}`;
}
