import type { UsageRow } from '../../core/usage-row.js';
import type { StoreCounts, StoredTurn } from '../rows.js';
import type { TurnRange, UsageQuery } from '../store.js';
import type { Database } from './database.js';
import type { TurnRow } from './read-rows.js';
import { toTurn } from './turns.js';

export function turnsEnded(db: Database, range: TurnRange): StoredTurn[] {
  const { since = earliest, until = latest, limit = -1, channel, behind } = range;
  const rows = db.all<TurnRow>(
    `SELECT * FROM turns WHERE ${channel === undefined ? '' : 'channel = ? AND '}ended_at >= ? AND ended_at < ?
      AND (ended_at, seq) > (?, ?) ORDER BY ended_at, seq LIMIT ?`,
    ...(channel === undefined ? [] : [channel]),
    since,
    until,
    behind?.endedAt ?? earliest,
    behind?.seq ?? 0,
    limit,
  );
  return rows.map((row) => toTurn(db, row));
}

/** Postponed attempts count for tokens and cost, but not as turns of their own. */
export function usage(db: Database, query: UsageQuery): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT ${keys[query.by]} AS key,
        sum(state <> 'postponed') AS turns,
        coalesce(sum(input_tokens), 0) AS inputTokens,
        coalesce(sum(output_tokens), 0) AS outputTokens,
        coalesce(sum(cached_input_tokens), 0) AS cachedInputTokens,
        coalesce(sum(cost_usd), 0.0) AS costUsd
      FROM turns WHERE backend IS NOT NULL AND ended_at >= ? AND ended_at < ?
        ${query.channel === undefined ? '' : 'AND channel = ?'}
      GROUP BY 1 ORDER BY 1`,
    query.since ?? earliest,
    query.until ?? latest,
    ...(query.channel === undefined ? [] : [query.channel]),
  );
}

const keys: Readonly<Record<UsageQuery['by'], string>> = {
  day: "strftime('%Y-%m-%d', ended_at / 1000, 'unixepoch')",
  backend: 'backend',
  channel: 'channel',
  model: "coalesce(model, 'default')",
};

export function counts(db: Database): StoreCounts {
  const rows = db.all<{ state: keyof StoreCounts['events']; events: number }>(
    'SELECT state, events FROM tally',
  );
  const events = { queued: 0, running: 0, answered: 0, refused: 0, cancelled: 0, failed: 0 };
  for (const row of rows) events[row.state] = row.events;
  return {
    events,
    undelivered: countOf(db, "SELECT count(*) AS count FROM outbox WHERE state = 'pending'"),
    pendingPermissions: countOf(db, "SELECT count(*) AS count FROM permissions WHERE state = 'pending'"),
    oldestWaitingAt:
      db.get<{ at: number | null }>("SELECT min(created_at) AS at FROM events WHERE state = 'queued'")?.at ??
      undefined,
  };
}

export function lastRun(db: Database, schedule: string): number | undefined {
  return db.get<{ last_run: number }>('SELECT last_run FROM schedules WHERE name = ?', schedule)?.last_run;
}

export function saveRun(db: Database, schedule: string, at: number): void {
  db.run(
    'INSERT INTO schedules (name, last_run) VALUES (?, ?) ON CONFLICT DO UPDATE SET last_run = excluded.last_run',
    schedule,
    at,
  );
}

function countOf(db: Database, sql: string): number {
  return db.get<{ count: number }>(sql)?.count ?? 0;
}

const earliest = Number.MIN_SAFE_INTEGER;
const latest = Number.MAX_SAFE_INTEGER;
