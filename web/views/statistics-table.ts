import type { StatisticsPointView, StatisticsView } from '../../src/gateway/channels/http/wire.js';

/** Statistics with every step of the range in it, also those in which nothing was done. */
export interface StatisticsTable {
  /** The beginnings of the steps, in milliseconds. */
  readonly steps: readonly number[];
  readonly stepMs: number;
  /** Of all turns of all rows: steps and rows don't tell it. */
  readonly medianMs?: number | undefined;
  readonly rows: readonly {
    readonly key: string;
    readonly points: readonly (StatisticsPointView | undefined)[];
  }[];
}

export interface Series {
  readonly name: string;
  /** One for each step; undefined where there is nothing to tell. */
  readonly values: readonly (number | undefined)[];
}

export function readStatistics(view: StatisticsView): StatisticsTable {
  const stepMs = Math.max(1, view.stepSeconds) * 1_000;
  const since = Date.parse(view.since);
  const until = Date.parse(view.until);
  const times = view.series.flatMap(({ points }) => points.map(({ at }) => Date.parse(at)));
  // The server's steps may begin before the range: the first point says where the raster of them lies.
  const known = times.find((time) => !Number.isNaN(time)) ?? since;
  const first = Math.min(since - mod(since - known, stepMs), ...times.filter((time) => !Number.isNaN(time)));
  const count = Math.min(mostSteps, Math.max(1, Math.ceil((until - first) / stepMs)));
  const steps = Array.from({ length: Number.isNaN(count) ? 0 : count }, (_, nth) => first + nth * stepMs);
  const rows = view.series.map(({ key, points }) => {
    const inSteps: (StatisticsPointView | undefined)[] = steps.map(() => undefined);
    for (const point of points) {
      const index = Math.floor((Date.parse(point.at) - first) / stepMs);
      if (index >= 0 && index < steps.length) inSteps[index] = point;
    }
    return { key, points: inSteps };
  });
  return { steps, stepMs, medianMs: view.medianMs, rows };
}

/** One series for each key. */
export function seriesByKey(
  table: StatisticsTable,
  pick: (point: StatisticsPointView) => number,
): readonly Series[] {
  return table.rows.map(({ key, points }) => ({
    name: key,
    values: points.map((point) => (point === undefined ? undefined : pick(point))),
  }));
}

/** All keys together, one series for each kind of value. Kinds that never occur are left out. */
export function seriesByKind(
  table: StatisticsTable,
  kinds: readonly (readonly [name: string, pick: (point: StatisticsPointView) => number])[],
): readonly Series[] {
  return kinds
    .map(([name, pick]) => ({
      name,
      values: table.steps.map((_, step) =>
        table.rows.reduce((sum, { points }) => {
          const point = points[step];
          return point === undefined ? sum : sum + pick(point);
        }, 0),
      ),
    }))
    .filter(({ values }) => values.some((value) => value !== undefined && value > 0));
}

/** The codes of the errors that occur, the most frequent one first. */
export function errorCodes(table: StatisticsTable): readonly string[] {
  const counts = new Map<string, number>();
  for (const point of pointsOf(table))
    for (const [code, number] of Object.entries(point.errors))
      counts.set(code, (counts.get(code) ?? 0) + (number ?? 0));
  return [...counts].sort(([, a], [, b]) => b - a).map(([code]) => code);
}

/**
 * All points together. Where only some rows are meant, the median is that of the steps' medians, each as often as it has turns:
 * near the true one.
 */
export type Totals = Omit<StatisticsPointView, 'at' | 'errors'>;

export function totalsOf(table: StatisticsTable): Totals {
  const points = pointsOf(table);
  const sum = (pick: (point: StatisticsPointView) => number) =>
    points.reduce((total, point) => total + pick(point), 0);
  return {
    turns: sum(({ turns }) => turns),
    answered: sum(({ answered }) => answered),
    failed: sum(({ failed }) => failed),
    cancelled: sum(({ cancelled }) => cancelled),
    medianMs:
      table.medianMs ?? weightedMedian(points.map(({ medianMs, turns }) => [medianMs, turns] as const)),
    slowestMs: points.reduce((most, { slowestMs }) => Math.max(most, slowestMs), 0),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedInputTokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: sum(({ costUsd }) => costUsd),
  };
}

/** Only the rows with these keys. */
export function withoutKeys(table: StatisticsTable, hidden: ReadonlySet<string>): StatisticsTable {
  if (!table.rows.some(({ key }) => hidden.has(key))) return table;
  return { ...table, medianMs: undefined, rows: table.rows.filter(({ key }) => !hidden.has(key)) };
}

const mostSteps = 400;

function pointsOf(table: StatisticsTable): readonly StatisticsPointView[] {
  return table.rows.flatMap(({ points }) => points.filter((point) => point !== undefined));
}

function weightedMedian(values: readonly (readonly [value: number, weight: number])[]): number {
  const sorted = values.filter(([, weight]) => weight > 0).sort(([a], [b]) => a - b);
  const half = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  let passed = 0;
  for (const [value, weight] of sorted) {
    passed += weight;
    if (passed >= half) return value;
  }
  return 0;
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
