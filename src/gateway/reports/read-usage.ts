import { addUsage, type UsageRow } from '../../core/usage-row.js';
import type { Store, UsageQuery } from '../../store/store.js';
import { breather, timeSlices } from './time-slices.js';

const turnsAtOnce = 10_000;

/** What was used, read a few turns at once. The turns of one channel are few enough to be read together. */
export async function readUsage(
  store: Pick<Store, 'usage' | 'endOfTurn'>,
  query: UsageQuery,
): Promise<readonly UsageRow[]> {
  if (query.channel !== undefined) return store.usage(query);
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = query;
  const rows = new Map<string, UsageRow>();
  for await (const slice of timeSlices(store, { since, until }, turnsAtOnce, breather())) {
    for (const row of await store.usage({ ...query, ...slice })) {
      const known = rows.get(row.key);
      rows.set(row.key, known === undefined ? row : addUsage(known, row));
    }
  }
  return [...rows.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}
