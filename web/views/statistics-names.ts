import type { StatisticsPointView } from '../../src/gateway/channels/http/wire.js';
import { type StatisticsTable, totalsOf } from './statistics-table.js';

/** No channel and no backend has a blank in its name. */
const others = ' others';
const longestName = 36;

/** At most so many rows: those with the fewest turns become one. */
export function bounded(table: StatisticsTable, most: number): StatisticsTable {
  if (table.rows.length <= most) return table;
  const turns = (row: StatisticsTable['rows'][number]) =>
    totalsOf({ ...table, medianMs: undefined, rows: [row] }).turns;
  const rows = [...table.rows].sort((one, other) => turns(other) - turns(one));
  const rest = rows.slice(most - 1);
  const points = table.steps.map((at, step) =>
    together(
      at,
      rest.flatMap(({ points }) => points[step] ?? []),
    ),
  );
  return { ...table, rows: [...rows.slice(0, most - 1), { key: others, points }] };
}

function together(at: number, points: readonly StatisticsPointView[]): StatisticsPointView | undefined {
  if (points.length === 0) return undefined;
  const errors: Record<string, number> = {};
  for (const point of points)
    for (const [code, count] of Object.entries(point.errors)) errors[code] = (errors[code] ?? 0) + count;
  const totals = totalsOf({
    steps: [at],
    stepMs: 1,
    rows: points.map((point) => ({ key: '', points: [point] })),
  });
  return { at: new Date(at).toISOString(), ...totals, errors };
}

/** What the keys are called: their titles; one that several have comes with the end of its key. */
export function uniqueNames(
  keys: readonly string[],
  titles: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const short = new Map([...new Set(keys)].map((key) => [key, shortName(key, titles)]));
  const ended = withMore(short, (key) => key.slice(-shownOfKey));
  return withMore(ended, (key) => key);
}

/** The end of an id tells conversations of one day apart. */
const shownOfKey = 6;

/** A name that several have comes with more of its key. */
function withMore(
  names: ReadonlyMap<string, string>,
  more: (key: string) => string,
): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    [...names].map(([key, name]) => [key, (counts.get(name) ?? 0) > 1 ? `${name} · ${more(key)}` : name]),
  );
}

function shortName(key: string, titles: ReadonlyMap<string, string>): string {
  const name = key === others ? 'others' : (titles.get(key) ?? key);
  return name.length <= longestName ? name : `${name.slice(0, longestName - 1)}…`;
}

export function renamed(table: StatisticsTable, names: ReadonlyMap<string, string>): StatisticsTable {
  return { ...table, rows: renamedRows(table.rows, names) };
}

export function renamedRows<Row extends { readonly key: string }>(
  rows: readonly Row[],
  names: ReadonlyMap<string, string>,
): readonly Row[] {
  return rows.map((row) => ({ ...row, key: names.get(row.key) ?? row.key }));
}
