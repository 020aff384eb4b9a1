import { Cron } from 'croner';
import type { Timing } from './types.js';

/** The first time after `after`. Undefined if there is none, ever. */
export function nextRun(timing: Timing, after: number): number | undefined {
  if (timing.type === 'every') return after + timing.ms;
  return cron(timing.expression, timing.timezone).nextRun(new Date(after))?.getTime();
}

/** The last time after `after` that has come by `now`: of several missed runs only this one is caught up. */
export function lastDue(timing: Timing, after: number, now: number): number | undefined {
  const next = nextRun(timing, after);
  if (next === undefined || next > now) return undefined;
  if (timing.type === 'every') return after + Math.floor((now - after) / timing.ms) * timing.ms;
  // Croner counts in whole seconds, and means those before the given one.
  const [previous] = cron(timing.expression, timing.timezone).previousRuns(1, new Date(now + 1000));
  return Math.max(next, previous?.getTime() ?? next);
}

/** The problem of an expression; undefined if it is right. */
export function checkCron(expression: string, timezone: string | undefined): string | undefined {
  if (timezone !== undefined && !isTimezone(timezone)) {
    return `timezone ${JSON.stringify(timezone)} is not known; expected a name like Europe/Berlin`;
  }
  const wrong = `schedule ${JSON.stringify(expression)} is not a cron expression`;
  // Croner takes dates as well, which are no cron expressions.
  if (!/^@[a-z]+$/i.test(expression) && expression.split(/\s+/).length !== 5) {
    return `${wrong}; expected five fields (minute hour day month weekday), or @daily and the like`;
  }
  try {
    const next = cron(expression, timezone).nextRun();
    return next === null ? `schedule ${JSON.stringify(expression)} never comes` : undefined;
  } catch (error) {
    return `${wrong}: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : error}`;
  }
}

function cron(expression: string, timezone: string | undefined): Cron {
  return new Cron(expression, { mode: '5-part', ...(timezone === undefined ? {} : { timezone }) });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
