import { interruptedError } from '../../core/errors.js';
import type { TurnStatistics } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { turnSlices } from '../../store/turn-slices.js';
import type { Statistics, StatisticsPoint, StatisticsQuery } from '../channels/lookups.js';

export interface StatisticsLimits {
  /** So many turns are read at once: a few milliseconds' work. */
  readonly turnsAtOnce?: number;
  /** Nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
}

type StatisticsStore = Pick<Store, 'statistics' | 'countTurns' | 'turnPlace'>;

/** Reads all turns of the time, a few at once: the gateway goes on working between two reads. */
export async function readStatistics(
  store: StatisticsStore,
  query: StatisticsQuery,
  { turnsAtOnce = 1000, signal }: StatisticsLimits = {},
): Promise<Statistics> {
  const { by, since, until, stepMs } = query;
  const keys = await busiest(store, query, { turnsAtOnce, signal });
  const times = new Times();
  const series = new Map(keys.map((key) => [key, [] as StatisticsPoint[]]));
  for (let at = since; at < until && keys.length > 0; at += stepMs) {
    const step = new Map<string, PartsOfStep>();
    const time = { since: at, until: Math.min(at + stepMs, until) };
    for await (const slice of turnSlices(store.turnPlace, time, turnsAtOnce)) {
      // All keys: the median of all turns is the same, whatever they are grouped by.
      for (const row of await store.statistics({ by, ...slice })) {
        times.add(row.ms);
        if (!series.has(row.key)) continue;
        const ofKey = step.get(row.key) ?? { rows: [], times: new Times() };
        ofKey.rows.push({ ...row, ms: [] });
        ofKey.times.add(row.ms);
        step.set(row.key, ofKey);
      }
      if (signal?.aborted) throw interruptedError();
    }
    for (const [key, parts] of step) series.get(key)?.push({ at, ...together(parts) });
  }
  return { medianMs: times.median, series: [...series].map(([key, points]) => ({ key, points })) };
}

/** The keys with the most turns, the busiest first. */
async function busiest(
  store: StatisticsStore,
  { by, since, until, maxSeries }: StatisticsQuery,
  { turnsAtOnce, signal }: { readonly turnsAtOnce: number; readonly signal: AbortSignal | undefined },
): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  // To count is a fraction of the work.
  for await (const slice of turnSlices(store.turnPlace, { since, until }, 5 * turnsAtOnce)) {
    for (const { key, turns } of await store.countTurns({ by, ...slice }))
      counts.set(key, (counts.get(key) ?? 0) + turns);
    if (signal?.aborted) throw interruptedError();
  }
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .slice(0, maxSeries)
    .map(([key]) => key);
}

interface PartsOfStep {
  readonly rows: TurnStatistics[];
  readonly times: Times;
}

function together({ rows, times }: PartsOfStep): Omit<StatisticsPoint, 'at'> {
  const sum = (field: 'turns' | 'answered' | 'failed' | 'cancelled' | keyof typeof tokens) =>
    rows.reduce((total, row) => total + row[field], 0);
  const errors: Record<string, number> = {};
  for (const row of rows) {
    for (const [code, count] of Object.entries(row.errors)) errors[code] = (errors[code] ?? 0) + count;
  }
  return {
    turns: sum('turns'),
    answered: sum('answered'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    medianMs: times.median,
    slowestMs: times.longest,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    costUsd: sum('costUsd'),
    errors,
  };
}

/**
 * Counts how many turns took a time, so that no array of a million has to be sorted at once. From ten seconds on times are kept to
 * four digits.
 */
class Times {
  readonly #counts = new Map<number, number>();
  #all = 0;
  longest = 0;

  add(times: readonly number[]): void {
    for (const ms of times) {
      const unit = ms < 10_000 ? 1 : 10 ** (Math.floor(Math.log10(ms)) - 3);
      const kept = Math.round(ms / unit) * unit;
      this.#counts.set(kept, (this.#counts.get(kept) ?? 0) + 1);
      this.longest = Math.max(this.longest, ms);
    }
    this.#all += times.length;
  }

  get median(): number {
    const sorted = Float64Array.from(this.#counts.keys()).sort();
    const [left, right] = [Math.floor((this.#all - 1) / 2), Math.floor(this.#all / 2)];
    let passed = 0;
    let lower: number | undefined;
    for (const ms of sorted) {
      passed += this.#counts.get(ms) ?? 0;
      if (passed > left) lower ??= ms;
      if (passed > right) return ((lower ?? ms) + ms) / 2;
    }
    return 0;
  }
}

const tokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: 0 };
