import type { TurnStatistics } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { turnSlices } from '../../store/turn-slices.js';
import type { Statistics, StatisticsPoint, StatisticsQuery } from '../channels/lookups.js';

export interface StatisticsLimits {
  /** So many turns are read at once: a few milliseconds' work. */
  readonly turnsAtOnce: number;
}

type StatisticsStore = Pick<Store, 'statistics' | 'countTurns' | 'turnPlace'>;

/** Reads all turns of the time, a few at once: the gateway goes on working between two reads. */
export async function readStatistics(
  store: StatisticsStore,
  query: StatisticsQuery,
  { turnsAtOnce }: StatisticsLimits = { turnsAtOnce: 2000 },
): Promise<Statistics> {
  const { by, since, until, stepMs } = query;
  const keys = await busiest(store, query, turnsAtOnce);
  const times: number[] = [];
  const series = new Map(keys.map((key) => [key, [] as StatisticsPoint[]]));
  for (let at = since; at < until && keys.length > 0; at += stepMs) {
    const step = new Map<string, TurnStatistics[]>();
    const time = { since: at, until: Math.min(at + stepMs, until) };
    for await (const slice of turnSlices(store.turnPlace, time, turnsAtOnce)) {
      // All keys: the median of all turns is the same, whatever they are grouped by.
      for (const row of await store.statistics({ by, ...slice })) {
        for (const ms of row.ms) times.push(ms);
        if (series.has(row.key)) step.set(row.key, [...(step.get(row.key) ?? []), row]);
      }
    }
    for (const [key, parts] of step) series.get(key)?.push({ at, ...together(parts) });
  }
  return { medianMs: median(times).middle, series: [...series].map(([key, points]) => ({ key, points })) };
}

/** The keys with the most turns, the busiest first. */
async function busiest(
  store: StatisticsStore,
  { by, since, until, maxSeries }: StatisticsQuery,
  turnsAtOnce: number,
): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  // To count is a fraction of the work.
  for await (const slice of turnSlices(store.turnPlace, { since, until }, 5 * turnsAtOnce)) {
    for (const { key, turns } of await store.countTurns({ by, ...slice }))
      counts.set(key, (counts.get(key) ?? 0) + turns);
  }
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .slice(0, maxSeries)
    .map(([key]) => key);
}

function together(parts: readonly TurnStatistics[]): Omit<StatisticsPoint, 'at'> {
  const sum = (field: 'turns' | 'answered' | 'failed' | 'cancelled' | keyof typeof tokens) =>
    parts.reduce((total, part) => total + part[field], 0);
  const { middle, most } = median(parts.flatMap(({ ms }) => ms));
  const errors: Record<string, number> = {};
  for (const part of parts) {
    for (const [code, count] of Object.entries(part.errors)) errors[code] = (errors[code] ?? 0) + count;
  }
  return {
    turns: sum('turns'),
    answered: sum('answered'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    medianMs: middle,
    slowestMs: most,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    costUsd: sum('costUsd'),
    errors,
  };
}

function median(of: readonly number[]): { readonly middle: number; readonly most: number } {
  const times = Float64Array.from(of).sort();
  const half = times.length >> 1;
  const [left = 0, right = 0] = times.subarray(times.length % 2 === 0 ? half - 1 : half, half + 1);
  return { middle: times.length % 2 === 0 ? (left + right) / 2 : left, most: times.at(-1) ?? 0 };
}

const tokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: 0 };
