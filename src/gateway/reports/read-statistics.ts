import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Store } from '../../store/store.js';
import type { StatisticsPoint, StatisticsQuery, StatisticsSeries } from '../channels/lookups.js';

const breatheAfterMs = 8;

/**
 * Reads step by step: the steps don't overlap, so what is said of each is exact, and the gateway goes on working between two
 * of them.
 */
export async function readStatistics(
  store: Store,
  { by, since, until, stepMs, maxSeries }: StatisticsQuery,
): Promise<readonly StatisticsSeries[]> {
  const series = new Map<string, { points: StatisticsPoint[]; turns: number }>();
  let breathed = performance.now();
  for (let at = since; at < until; at += stepMs) {
    const rows = await store.statistics({ by, since: at, until: Math.min(at + stepMs, until) });
    for (const { key, ...point } of rows) {
      const known = series.get(key) ?? { points: [], turns: 0 };
      known.points.push({ at, ...point });
      known.turns += point.turns;
      series.set(key, known);
    }
    if (performance.now() - breathed < breatheAfterMs) continue;
    await nextLoop();
    breathed = performance.now();
  }
  return [...series]
    .sort(([one, { turns: ones }], [other, { turns: others }]) => others - ones || (one < other ? -1 : 1))
    .slice(0, maxSeries)
    .map(([key, { points }]) => ({ key, points }));
}
