import type { StoredEvent } from '../rows.js';
import type { Claim, ClaimRequest } from '../store.js';
import type { Database } from './database.js';
import { beginning, type EventRow, toEvent } from './read-rows.js';

export type NewId = (prefix: string) => string;

/** Makes the channel's row if there is none. */
export function openLane(db: Database, channel: string): void {
  if (db.get('SELECT 1 FROM channels WHERE name = ?', channel) !== undefined) return;
  db.run('INSERT INTO channels (name, served) VALUES (?, ?)', channel, nextFence(db));
}

/** Returns a number that grows for ever: for the fences of leases, and the order of serving channels. */
export function nextFence(db: Database): number {
  const row = db.get<{ value: number }>(
    "UPDATE counters SET value = value + 1 WHERE name = 'fence' RETURNING value",
  );
  if (row === undefined) throw new Error('The counter of the fences is missing');
  return row.value;
}

export function claim(db: Database, request: ClaimRequest, newId: NewId): Claim[] {
  const { now, longestWaitMs } = request;
  db.run('UPDATE channels SET not_before = 0 WHERE not_before > 0 AND not_before <= ?', now);
  if (longestWaitMs !== undefined)
    db.run('UPDATE channels SET not_before = 0 WHERE not_before > ?', Math.ceil(now + longestWaitMs));
  const channels = db.all<{ name: string }>(
    `SELECT name FROM channels INDEXED BY channels_ready
      WHERE waiting > 0 AND running_turn IS NULL AND not_before = 0 ORDER BY served LIMIT ?`,
    Math.max(0, request.limit),
  );
  return channels.flatMap(({ name }) => {
    const head = headOf(db, name);
    return head === undefined ? [] : [beginTurn(db, head, request, newId)];
  });
}

function beginTurn(db: Database, head: EventRow, request: ClaimRequest, newId: NewId): Claim {
  const turnId = newId('trn');
  const fence = nextFence(db);
  const turnSeq = db.insert(
    `INSERT INTO turns (id, channel, state, started_at, worker, lease_until, fence)
      VALUES (?, ?, 'running', ?, ?, ?, ?)`,
    turnId,
    head.channel,
    request.now,
    request.worker,
    Math.ceil(request.leaseUntil),
    fence,
  );
  db.run('UPDATE channels SET running_turn = ?, served = ? WHERE name = ?', turnId, fence, head.channel);
  const event = addMember(db, { seq: turnSeq, id: turnId }, head);
  return { lease: { turnId, channel: head.channel, fence }, event };
}

/** Makes a waiting event part of a running turn. */
export function addMember(
  db: Database,
  turn: { readonly seq: number; readonly id: string },
  event: EventRow,
): StoredEvent {
  db.run('INSERT INTO turn_members (turn_seq, event_seq) VALUES (?, ?)', turn.seq, event.seq);
  db.run(
    "UPDATE events SET state = 'running', attempts = attempts + 1, not_before = NULL, turn_id = ? WHERE seq = ?",
    turn.id,
    event.seq,
  );
  return {
    ...toEvent(event),
    state: 'running',
    attempts: event.attempts + 1,
    notBefore: undefined,
    turnId: turn.id,
  };
}

/** Marks that no turn runs any more. If the next event waits for a retry, the channel is held until then. */
export function freeLane(db: Database, channel: string): void {
  db.run(`UPDATE channels SET running_turn = NULL, not_before = ${headNotBefore} WHERE name = ?1`, channel);
}

/** Must be called when the channel's first event may have changed without a turn. */
export function refreshLane(db: Database, channel: string): void {
  db.run(`UPDATE channels SET not_before = ${headNotBefore} WHERE name = ?1`, channel);
}

const headNotBefore = `coalesce(
  (SELECT not_before FROM events WHERE channel = ?1 AND state = 'queued' ORDER BY seq LIMIT 1), 0)`;

export function waitingEvents(db: Database, channel: string, limit: number): EventRow[] {
  return db.all<EventRow>(
    "SELECT * FROM events INDEXED BY events_waiting WHERE channel = ? AND state = 'queued' ORDER BY seq LIMIT ?",
    channel,
    Math.max(0, limit),
  );
}

/** At most MAX_QUEUE_DEPTH events wait: they are few enough to be sorted. Their texts may be long. */
export function waitingEverywhere(db: Database, limit: number): EventRow[] {
  return db.all<EventRow>(
    `SELECT ${outline} FROM events INDEXED BY events_waiting WHERE state = 'queued' ORDER BY seq LIMIT ?`,
    Math.max(0, limit),
  );
}

export function waitingOutlines(db: Database, channel: string, limit: number): EventRow[] {
  return db.all<EventRow>(
    `SELECT ${outline} FROM events WHERE channel = ? AND state = 'queued' ORDER BY seq LIMIT ?`,
    channel,
    Math.max(0, limit),
  );
}

const outline = `seq, id, channel, source, kind, message_id, substr(text, 1, ${beginning}) AS text, author, state,
  created_at, ended_at, attempts, crashes, not_before, turn_id, response_text, error_code, error_message`;

/** Reads one row, however many events wait: triggers keep the count. */
export function countWaiting(db: Database, channel: string): number {
  return db.get<{ waiting: number }>('SELECT waiting FROM channels WHERE name = ?', channel)?.waiting ?? 0;
}

export function nextDue(db: Database): number | undefined {
  const row = db.get<{ due: number | null }>(
    'SELECT min(not_before) AS due FROM channels WHERE not_before > 0',
  );
  return row?.due ?? undefined;
}

/** SQLite prepares a statement again for every value of its LIMIT, so the hottest query has a fixed one. */
function headOf(db: Database, channel: string): EventRow | undefined {
  return db.get<EventRow>(
    "SELECT * FROM events INDEXED BY events_waiting WHERE channel = ? AND state = 'queued' ORDER BY seq LIMIT 1",
    channel,
  );
}
