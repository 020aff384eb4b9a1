import type { ErrorCode } from '../../core/chat-event.js';
import type { TurnStatistics } from '../rows.js';
import type { StatisticsSlice } from '../store.js';
import type { Database } from './database.js';

/** Reads only the index `turns_statistics`: the rows of turns hold whole prompts' records, and are long. */
export function statistics(db: Database, { by, since, until }: StatisticsSlice): TurnStatistics[] {
  const rows = db.all<Omit<TurnStatistics, 'errors'>>(sums[by], since, until);
  if (rows.length === 0) return [];
  const errors = db.all<{ key: string; code: ErrorCode; count: number }>(errorCounts[by], since, until);
  const byKey = new Map<string, Partial<Record<ErrorCode, number>>>();
  for (const { key, code, count } of errors) byKey.set(key, { ...byKey.get(key), [code]: count });
  return rows.map((row) => ({ ...row, errors: byKey.get(row.key) ?? {} }));
}

/** Commands are answered without an agent: they have no backend. */
const ended =
  'turns INDEXED BY turns_statistics WHERE ended_at >= ? AND ended_at < ? AND backend IS NOT NULL';

/** The median is the mean of the one or two turns in the middle of their order; attempts to come again stand in none. */
const sumsBy = (key: 'backend' | 'channel') => `
  WITH placed AS (
    SELECT ${key} AS key, state, ended_at - started_at AS ms, input_tokens, output_tokens, cached_input_tokens, cost_usd,
        row_number() OVER (PARTITION BY ${key}, state = 'postponed' ORDER BY ended_at - started_at) AS place,
        count(*) OVER (PARTITION BY ${key}, state = 'postponed') AS many
      FROM ${ended}
  )
  SELECT key,
      sum(state <> 'postponed') AS turns,
      sum(state = 'answered') AS answered,
      sum(state = 'failed') AS failed,
      sum(state = 'cancelled') AS cancelled,
      coalesce(avg(ms) FILTER (WHERE state <> 'postponed' AND place * 2 BETWEEN many AND many + 2), 0) AS medianMs,
      coalesce(max(ms) FILTER (WHERE state <> 'postponed'), 0) AS slowestMs,
      coalesce(sum(input_tokens), 0) AS inputTokens,
      coalesce(sum(output_tokens), 0) AS outputTokens,
      coalesce(sum(cached_input_tokens), 0) AS cachedInputTokens,
      coalesce(sum(cost_usd), 0.0) AS costUsd
    FROM placed GROUP BY key ORDER BY key`;

const errorsBy = (key: 'backend' | 'channel') =>
  `SELECT ${key} AS key, error_code AS code, count(*) AS count FROM ${ended} AND error_code IS NOT NULL GROUP BY 1, 2`;

const sums = { backend: sumsBy('backend'), channel: sumsBy('channel') } as const;
const errorCounts = { backend: errorsBy('backend'), channel: errorsBy('channel') } as const;

export function modelsUsed(db: Database): { readonly backend: string; readonly model: string }[] {
  return db.all(
    `SELECT backend, model FROM (SELECT seq, backend, model FROM turns ORDER BY seq DESC LIMIT 2000)
      WHERE backend IS NOT NULL AND model IS NOT NULL GROUP BY backend, model ORDER BY max(seq) DESC`,
  );
}
