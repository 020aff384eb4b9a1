import type { StatisticsQuery } from '../lookups.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChoice, checkTime, wholeNumber } from './check-parameters.js';
import { HttpProblem } from './problem.js';
import { iso } from './represent.js';
import type { StatisticsView } from './wire.js';

const dayMs = 86_400_000;
const usualRangeMs = 7 * dayMs;
const maxSteps = 1000;
const maxSeries = 20;
/** The usual steps, in seconds: the first one with which a plot has no more than so many points. */
const usualSteps = [60, 300, 900, 3600, 21_600, 86_400, 604_800] as const;
const usualPoints = 200;

export function addStatisticsRoutes(app: HttpApp, { gateway }: RouteOptions): void {
  addRoute(app, '/v1/statistics', {
    GET: async (c) => {
      const query = checkQuery(c.req.query());
      const { medianMs, series } = await gateway.reports.statistics(query, c.req.raw.signal);
      return c.json({
        since: iso(query.since),
        until: iso(query.until),
        stepSeconds: query.stepMs / 1000,
        medianMs,
        series: series.map(({ key, points }) => ({
          key,
          points: points.map(({ at, ...point }) => ({ at: iso(at), ...point })),
        })),
      } satisfies StatisticsView);
    },
  });
}

function checkQuery(given: Readonly<Record<string, string>>): StatisticsQuery {
  const by = checkChoice('by', given['by'], ['backend', 'channel']);
  const until = checkTime('until', given['until']) ?? Date.now();
  const since = checkTime('since', given['since']) ?? until - usualRangeMs;
  if (since >= until) throw new HttpProblem('bad_request', 'since: a time before until is expected.');
  return { by, since, until, stepMs: checkStep(given['stepSeconds'], until - since) * 1000, maxSeries };
}

function checkStep(raw = '', rangeMs: number): number {
  const least = Math.ceil(rangeMs / 1000 / maxSteps);
  if (raw === '') return usualSteps.find((step) => rangeMs / 1000 / step <= usualPoints) ?? least;
  const step = wholeNumber('stepSeconds', raw, 1);
  if (step >= least) return step;
  throw new HttpProblem(
    'bad_request',
    `stepSeconds: at most ${maxSteps} steps are given at once; from ${least} seconds up they are so many.`,
  );
}
