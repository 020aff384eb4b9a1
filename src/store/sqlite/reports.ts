import { interruptedError } from '../../core/errors.js';
import { addUsage, type UsageRow } from '../../core/usage-row.js';
import type { StoreCounts, StoredTurn } from '../rows.js';
import type { TurnEndPlace, TurnRange, UsageQuery } from '../store.js';
import { type TurnSlice, turnSlices } from '../turn-slices.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';
import type { TurnRow } from './read-rows.js';
import { toTurn } from './turns.js';

export function turnsEnded(db: Database, range: TurnRange): StoredTurn[] {
  const { since = earliest, until = latest, limit = -1, channel } = range;
  // One lower bound: with two, SQLite would begin at the earlier one and pass over what lies between.
  const from = range.behind ?? { endedAt: since, seq: 0 };
  const rows = db.all<TurnRow>(
    `SELECT * FROM turns WHERE ${channel === undefined ? '' : 'channel = ? AND '}(ended_at, seq) > (?, ?) AND ended_at < ?
      ORDER BY ended_at, seq LIMIT ?`,
    ...(channel === undefined ? [] : [channel]),
    from.endedAt,
    from.seq,
    until,
    limit,
  );
  return rows.map((row) => toTurn(db, row));
}

/** So many turns are read at once: a few milliseconds' work. */
const sliceOfTurns = 1000;

/** Postponed attempts count for tokens and cost, but not as turns of their own. */
export async function usage(commits: GroupCommit, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { since = earliest, until = latest, channel } = query;
  const rows = new Map<string, UsageRow>();
  const placeBehind = (from: TurnEndPlace, count: number) =>
    commits.read((db) => turnPlace(db, from, count, channel));
  for await (const slice of turnSlices(placeBehind, { since, until }, sliceOfTurns)) {
    for (const row of await commits.read((db) => usageIn(db, query, slice))) {
      const known = rows.get(row.key);
      rows.set(row.key, known === undefined ? row : addUsage(known, row));
    }
    if (query.signal?.aborted) throw interruptedError();
  }
  return [...rows.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function usageIn(db: Database, { by, channel }: UsageQuery, { behind, upTo }: TurnSlice): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT ${keys[by]} AS key,
        sum(state <> 'postponed') AS turns,
        coalesce(sum(input_tokens), 0) AS inputTokens,
        coalesce(sum(output_tokens), 0) AS outputTokens,
        coalesce(sum(cached_input_tokens), 0) AS cachedInputTokens,
        coalesce(sum(cost_usd), 0.0) AS costUsd
      FROM turns INDEXED BY ${channel === undefined ? 'turns_ended' : 'turns_channel'}
      WHERE ${channel === undefined ? '' : 'channel = ? AND '}(ended_at, seq) > (?, ?) AND (ended_at, seq) <= (?, ?)
        AND backend IS NOT NULL
      GROUP BY 1 ORDER BY 1`,
    ...(channel === undefined ? [] : [channel]),
    ...[behind.endedAt, behind.seq, upTo.endedAt, upTo.seq],
  );
}

/** The turn at which the first `count` behind a place end; undefined if there are not so many. */
export function turnPlace(
  db: Database,
  from: TurnEndPlace,
  count: number,
  channel?: string | undefined,
): TurnEndPlace | undefined {
  return db.get<{ endedAt: number; seq: number }>(
    `SELECT ended_at AS endedAt, seq FROM turns
      WHERE ${channel === undefined ? '' : 'channel = ? AND '}(ended_at, seq) > (?, ?)
      ORDER BY ended_at, seq LIMIT 1 OFFSET ?`,
    ...(channel === undefined ? [] : [channel]),
    from.endedAt,
    from.seq,
    Math.max(0, count - 1),
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
