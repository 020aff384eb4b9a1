import type { ErrorCode } from '../../core/chat-event.js';
import type { TurnStatistics } from '../rows.js';
import type { StatisticsSlice } from '../store.js';
import type { Database } from './database.js';

export function statistics(db: Database, { by, behind, upTo, only }: StatisticsSlice): TurnStatistics[] {
  const bounds = [behind.endedAt, behind.seq, upTo.endedAt, upTo.seq];
  const keys = only === undefined ? [] : [JSON.stringify(only)];
  const [sums, errors] = only === undefined ? queries[by].all : queries[by].some;
  const rows = db.all<Omit<TurnStatistics, 'errors' | 'ms'> & { readonly ms: string | null }>(
    sums,
    ...bounds,
    ...keys,
  );
  if (rows.length === 0) return [];
  const failures = db.all<{ key: string; code: ErrorCode; count: number }>(errors, ...bounds, ...keys);
  const byKey = new Map<string, Partial<Record<ErrorCode, number>>>();
  for (const { key, code, count } of failures) byKey.set(key, { ...byKey.get(key), [code]: count });
  return rows.map(({ ms, ...row }) => ({
    ...row,
    ms: ms === null ? [] : ms.split(',').map(Number),
    errors: byKey.get(row.key) ?? {},
  }));
}

export function countTurns(
  db: Database,
  { by, behind, upTo }: StatisticsSlice,
): { readonly key: string; readonly turns: number }[] {
  return db.all(queries[by].count, behind.endedAt, behind.seq, upTo.endedAt, upTo.seq);
}

/** Commands are answered without an agent: they have no backend. */
const ended = `turns INDEXED BY turns_ended
  WHERE (ended_at, seq) > (?, ?) AND (ended_at, seq) <= (?, ?) AND backend IS NOT NULL`;

/**
 * The times of all turns come as one text for each key: a median by a window function takes SQLite ten times as long as the
 * sums do.
 */
const sumsOf = (key: string, where: string) => `
  SELECT ${key} AS key,
      sum(state <> 'postponed') AS turns,
      sum(state = 'answered') AS answered,
      sum(state = 'failed') AS failed,
      sum(state = 'cancelled') AS cancelled,
      group_concat(ended_at - started_at) FILTER (WHERE state <> 'postponed') AS ms,
      coalesce(sum(input_tokens), 0) AS inputTokens,
      coalesce(sum(output_tokens), 0) AS outputTokens,
      coalesce(sum(cached_input_tokens), 0) AS cachedInputTokens,
      coalesce(sum(cost_usd), 0.0) AS costUsd
    FROM ${ended} ${where} GROUP BY 1 ORDER BY 1`;

/** A turn that somebody has stopped is no error. */
const errorsOf = (key: string, where: string) =>
  `SELECT ${key} AS key, error_code AS code, count(*) AS count FROM ${ended} ${where} AND error_code IS NOT NULL
    AND state <> 'cancelled' GROUP BY 1, 2`;

const queriesOf = (key: 'backend' | 'channel') => {
  const among = `AND ${key} IN (SELECT value FROM json_each(?))`;
  return {
    all: [sumsOf(key, ''), errorsOf(key, '')],
    some: [sumsOf(key, among), errorsOf(key, among)],
    count: `SELECT ${key} AS key, sum(state <> 'postponed') AS turns FROM ${ended} GROUP BY 1`,
  } as const;
};

const queries = { backend: queriesOf('backend'), channel: queriesOf('channel') } as const;

export function modelsUsed(db: Database): { readonly backend: string; readonly model: string }[] {
  return db.all(
    `SELECT backend, model FROM (SELECT seq, backend, model FROM turns ORDER BY seq DESC LIMIT 2000)
      WHERE backend IS NOT NULL AND model IS NOT NULL GROUP BY backend, model ORDER BY max(seq) DESC`,
  );
}
