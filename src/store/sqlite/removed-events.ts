import type { StoredEvent } from '../rows.js';
import type { Database } from './database.js';
import type { EventRow } from './read-rows.js';

type RemovedRow = Pick<
  EventRow,
  | 'seq'
  | 'id'
  | 'channel'
  | 'source'
  | 'kind'
  | 'message_id'
  | 'state'
  | 'created_at'
  | 'ended_at'
  | 'attempts'
>;

const columns = 'channel, source, message_id, id, seq, kind, state, created_at, ended_at, attempts';

/**
 * Must be called before the event is removed. Only an event with a message id is remembered, because only
 * that can arrive again.
 */
export function rememberRemoved(db: Database, seq: number, keysBefore: number): void {
  db.run(
    `INSERT OR REPLACE INTO removed_events (${columns})
      SELECT ${columns} FROM events WHERE seq = ? AND message_id IS NOT NULL AND ended_at >= ?`,
    seq,
    keysBefore,
  );
}

/** Removes at most `limit` of them and returns how many were removed. */
export function forgetRemoved(db: Database, keysBefore: number, limit: number): number {
  return db.run(
    'DELETE FROM removed_events WHERE id IN (SELECT id FROM removed_events WHERE ended_at < ? LIMIT ?)',
    keysBefore,
    limit,
  );
}

export function findRemoved(db: Database, id: string): StoredEvent | undefined {
  return toRemoved(db.get<RemovedRow>('SELECT * FROM removed_events WHERE id = ?', id));
}

export function findRemovedByMessage(
  db: Database,
  source: string,
  channel: string,
  messageId: string,
): StoredEvent | undefined {
  const row = db.get<RemovedRow>(
    'SELECT * FROM removed_events WHERE channel = ? AND source = ? AND message_id = ?',
    channel,
    source,
    messageId,
  );
  return toRemoved(row);
}

function toRemoved(row: RemovedRow | undefined): StoredEvent | undefined {
  if (row === undefined) return undefined;
  const { id, seq, channel, source, kind, state, attempts } = row;
  return {
    ...{ id, seq, channel, source, kind, state, attempts },
    messageId: row.message_id ?? undefined,
    text: '',
    crashes: 0,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
    removed: true,
  };
}
