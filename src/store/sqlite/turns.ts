import { parseJson } from '../../core/json.js';
import type {
  ChannelPlace,
  ContextUsed,
  StoredEvent,
  StoredTurn,
  ToolRecord,
  TurnOutline,
  TurnSetup,
} from '../rows.js';
import type { Database } from './database.js';
import { type EventRow, type ToolRow, type TurnRow, toEvent, toFailure, toUsage } from './read-rows.js';

export function toTurn(db: Database, row: TurnRow): StoredTurn {
  return { ...toOutline(db, row), tools: toolsOf(db, row.seq) };
}

function toOutline(db: Database, row: TurnRow): TurnOutline {
  return {
    id: row.id,
    seq: row.seq,
    channel: row.channel,
    eventIds: membersOf(db, row.seq).map(({ id }) => id),
    state: row.state,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    setup: row.setup === null ? undefined : (JSON.parse(row.setup) as TurnSetup),
    model: row.model ?? undefined,
    sessionId: row.session_id ?? undefined,
    usage: toUsage(row),
    stopReason: row.stop_reason ?? undefined,
    error: toFailure(row),
  };
}

/** Returns the events of a turn in the order of arrival. */
export function eventsOf(db: Database, turnSeq: number): StoredEvent[] {
  return db
    .all<EventRow>(
      `SELECT events.* FROM turn_members JOIN events ON events.seq = turn_members.event_seq
        WHERE turn_members.turn_seq = ? ORDER BY events.seq`,
      turnSeq,
    )
    .map(toEvent);
}

export type Member = Pick<EventRow, 'seq' | 'id' | 'source'>;

/** The same events, with only the fields that are needed to change them. */
export function membersOf(db: Database, turnSeq: number): Member[] {
  return db.all<Member>(
    `SELECT events.seq, events.id, events.source FROM turn_members
      JOIN events ON events.seq = turn_members.event_seq WHERE turn_members.turn_seq = ? ORDER BY events.seq`,
    turnSeq,
  );
}

export function turnsOf(db: Database, eventId: string): StoredTurn[] {
  const rows = db.all<TurnRow>(
    `SELECT turns.* FROM events JOIN turn_members ON turn_members.event_seq = events.seq
      JOIN turns ON turns.seq = turn_members.turn_seq WHERE events.id = ? ORDER BY turns.seq`,
    eventId,
  );
  return rows.map((row) => toTurn(db, row));
}

/** The turns of a channel from `seq` on, oldest first. */
export function turnsFrom(db: Database, channel: string, seq: number, limit: number): TurnOutline[] {
  return db
    .all<TurnRow>(
      'SELECT * FROM turns WHERE channel = ? AND seq >= ? ORDER BY seq LIMIT ?',
      channel,
      seq,
      limit,
    )
    .map((row) => toOutline(db, row));
}

export function runningTurn(db: Database, channel: string): TurnOutline | undefined {
  const row = db.get<TurnRow>("SELECT * FROM turns WHERE state = 'running' AND channel = ?", channel);
  return row === undefined ? undefined : toOutline(db, row);
}

/** The newest message and the newest turn that has ended of a channel; 0 where there is none. */
export function lastOf(db: Database, channel: string): ChannelPlace {
  const message = db.get<{ id: number; at: number }>(
    'SELECT id, created_at AS at FROM messages WHERE channel = ? ORDER BY id DESC LIMIT 1',
    channel,
  );
  const turn = db.get<{ seq: number; at: number }>(
    "SELECT seq, started_at AS at FROM turns WHERE channel = ? AND state <> 'running' ORDER BY seq DESC LIMIT 1",
    channel,
  );
  return {
    ...{ message: message?.id ?? 0, messageAt: message?.at ?? 0 },
    ...{ turn: turn?.seq ?? 0, turnAt: turn?.at ?? 0 },
  };
}

/** True if the message and the turn are the channel's, and of these times; 0 stands for its beginning. */
export function holds(db: Database, channel: string, place: ChannelPlace): boolean {
  const { message, messageAt, turn, turnAt } = place;
  const row = db.get<{ held: number }>(
    `SELECT (?2 = 0 OR EXISTS (SELECT 1 FROM messages WHERE id = ?2 AND channel = ?1 AND created_at = ?3))
      AND (?4 = 0 OR EXISTS (SELECT 1 FROM turns WHERE seq = ?4 AND channel = ?1 AND started_at = ?5)) AS held`,
    ...[channel, message, messageAt, turn, turnAt],
  );
  return row?.held === 1;
}

export function contextUsed(db: Database, channel: string, backend: string): ContextUsed | undefined {
  const row = db.get<{ tokens: number; window: number | null }>(
    `SELECT context_tokens AS tokens, context_window AS window
      FROM (SELECT * FROM turns WHERE channel = ?1 ORDER BY seq DESC LIMIT ?3) AS recent
      WHERE context_tokens IS NOT NULL AND backend = ?2
        AND session_id = (SELECT session_id FROM sessions WHERE channel = ?1 AND backend = ?2)
      ORDER BY seq DESC LIMIT 1`,
    channel,
    backend,
    newest,
  );
  return row && { tokens: row.tokens, window: row.window ?? undefined };
}

/** So many of a channel's last turns are looked at: some CLIs never tell it, and a channel may have thousands of turns. */
const newest = 20;

export function runningTurns(db: Database, channel?: string): StoredTurn[] {
  const rows =
    channel === undefined
      ? db.all<TurnRow>("SELECT * FROM turns INDEXED BY turns_running WHERE state = 'running' ORDER BY seq")
      : db.all<TurnRow>("SELECT * FROM turns WHERE state = 'running' AND channel = ?", channel);
  return rows.map((row) => toTurn(db, row));
}

function toolsOf(db: Database, turnSeq: number): ToolRecord[] {
  return db.all<ToolRow>('SELECT * FROM turn_tools WHERE turn_seq = ? ORDER BY seq', turnSeq).map((row) => ({
    id: row.id,
    name: row.name,
    input: parseJson(row.input),
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    isError: row.is_error === null ? undefined : row.is_error === 1,
    denied: row.denied === 1 ? true : undefined,
  }));
}
