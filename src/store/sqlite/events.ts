import type { Failure, StoredEvent } from '../rows.js';
import type {
  AcceptEffect,
  Accepted,
  AcceptOptions,
  CancelRequest,
  ImmediateOutcome,
  NewEvent,
} from '../store.js';
import type { Database } from './database.js';
import { importHistory } from './history.js';
import { type NewId, openLane, refreshLane, waitingEvents } from './lanes.js';
import { say, write } from './outbox.js';
import { applyOutcome } from './outcome.js';
import { decidePermission, voidPermissions } from './permissions.js';
import { type EventRow, toEvent } from './read-rows.js';
import { findRemoved, findRemovedByMessage } from './removed-events.js';
import { saveRun } from './reports.js';

export function accept(db: Database, event: NewEvent, options: AcceptOptions, newId: NewId): Accepted {
  if (event.schedule !== undefined) saveRun(db, event.schedule.name, event.schedule.runAt);
  const known =
    event.messageId === undefined
      ? undefined
      : findByMessage(db, event.source, event.channel, event.messageId);
  if (known !== undefined) return { event: known, repeated: true };

  openLane(db, event.channel);
  const refused = options.settled === undefined ? refusal(db, event, options.maxWaiting) : undefined;
  const effect = refused === undefined ? takeEffect(db, event, options, newId) : noEffect;
  const outcome = refused ?? settledBy(options.settled, effect);
  const id = newId('evt');
  const seq = db.insert(
    `INSERT INTO events (id, channel, source, kind, message_id, text, author, context, instructions, agent, queue_mode,
        state, created_at, ended_at, response_text, error_code, error_message)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    event.channel,
    event.source,
    event.kind,
    event.messageId,
    event.text,
    event.author,
    event.context,
    event.instructions,
    event.agent === undefined ? undefined : JSON.stringify(event.agent),
    event.queueMode,
    outcome?.state ?? 'queued',
    event.at,
    outcome?.at,
    outcome?.responseText,
    outcome?.error?.code,
    outcome?.error?.message,
  );
  write(db, {
    channel: event.channel,
    eventId: id,
    atEvent: seq,
    opening: true,
    role: event.role ?? 'user',
    text: event.text,
    at: event.at,
  });
  if (outcome !== undefined) {
    applyOutcome(db, { channel: event.channel, source: event.source, eventId: id, lastSeq: seq }, outcome);
  }
  const { cancelled, decided } = effect;
  return {
    event: accepted(event, id, seq, outcome),
    repeated: false,
    ...(cancelled.length === 0 ? {} : { cancelled }),
    ...(decided === undefined ? {} : { decided }),
  };
}

const noEffect: AcceptEffect = { cancelled: [], decided: undefined };

function takeEffect(
  db: Database,
  event: NewEvent,
  { cancels = [], stops, decides, history = [] }: AcceptOptions,
  newId: NewId,
): AcceptEffect {
  importHistory(db, event, history, newId);
  if (stops !== undefined) {
    db.run("UPDATE turns SET stop_reason = ? WHERE id = ? AND state = 'running'", stops.by, stops.turnId);
  }
  return {
    decided: decides === undefined ? undefined : decidePermission(db, decides.id, decides),
    cancelled: cancels.flatMap((request) => cancelWaiting(db, request)),
  };
}

function settledBy(settled: AcceptOptions['settled'], effect: AcceptEffect): ImmediateOutcome | undefined {
  return typeof settled === 'function' ? settled(effect) : settled;
}

function accepted(
  event: NewEvent,
  id: string,
  seq: number,
  outcome: ImmediateOutcome | undefined,
): StoredEvent {
  const { channel, source, kind, messageId, text, author, context, instructions, agent, queueMode } = event;
  return {
    ...{ id, seq, channel, source, kind, messageId, text, author, context, instructions, agent, queueMode },
    state: outcome?.state ?? 'queued',
    createdAt: event.at,
    endedAt: outcome?.at,
    attempts: 0,
    crashes: 0,
    responseText: outcome?.responseText,
    error: outcome?.error,
  };
}

function refusal(db: Database, event: NewEvent, maxWaiting: number): ImmediateOutcome | undefined {
  const waiting = db.get<{ events: number }>("SELECT events FROM tally WHERE state = 'queued'")?.events ?? 0;
  if (waiting < maxWaiting) return undefined;
  const message = `The queue is full: ${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}. This one was not taken; please try again later.`;
  return {
    at: event.at,
    state: 'refused',
    error: { code: 'overloaded', message },
    messages: [{ role: 'system', text: message }],
  };
}

export function cancelWaiting(db: Database, request: CancelRequest): string[] {
  const waiting = waitingEvents(db, request.channel, Number.MAX_SAFE_INTEGER);
  const wanted = waiting.filter(
    ({ id, kind }) =>
      (request.only?.includes(id) ?? true) && (request.promptsOnly !== true || kind === 'prompt'),
  );
  for (const { seq } of wanted) {
    endEvent(db, seq, { state: 'cancelled', at: request.at, error: request.error });
    voidPermissions(db, seq);
  }
  const [first] = wanted;
  const last = wanted.at(-1);
  if (first === undefined || last === undefined) return [];
  refreshLane(db, request.channel);
  if (request.notice !== undefined) {
    const { channel, at, notice: text } = request;
    say(db, { channel, at, text, role: 'system', eventId: first.id, atEvent: last.seq }, first.source);
  }
  return wanted.map(({ id }) => id);
}

interface EventEnd {
  readonly state: StoredEvent['state'];
  readonly at: number;
  readonly responseText?: string | undefined;
  readonly error?: Failure | undefined;
}

export function endEvent(db: Database, seq: number, end: EventEnd): void {
  db.run(
    `UPDATE events SET state = ?, ended_at = ?, response_text = ?, error_code = ?, error_message = ?, not_before = NULL
      WHERE seq = ?`,
    end.state,
    end.at,
    end.responseText,
    end.error?.code,
    end.error?.message,
    seq,
  );
}

export function findEvent(db: Database, id: string): StoredEvent | undefined {
  const row = db.get<EventRow>('SELECT * FROM events WHERE id = ?', id);
  return row === undefined ? findRemoved(db, id) : toEvent(row);
}

export function findByMessage(
  db: Database,
  source: string,
  channel: string,
  messageId: string,
): StoredEvent | undefined {
  const row = db.get<EventRow>(
    'SELECT * FROM events WHERE channel = ? AND source = ? AND message_id = ?',
    channel,
    source,
    messageId,
  );
  return row === undefined ? findRemovedByMessage(db, source, channel, messageId) : toEvent(row);
}

/**
 * Finds the last prompt without an answer that was in a turn: one that was dropped while it waited is not wanted any more. Commands don't count, unless an agent spoke in their turn
 * (`/retry`): they say nothing about the prompt that failed. Nor does the answer to a prompt that was already
 * waiting when it failed: its sender had not read of the failure.
 */
export function lastUnanswered(db: Database, channel: string): StoredEvent | undefined {
  const row = db.get<EventRow>(
    `SELECT * FROM events INDEXED BY events_unanswered
      WHERE channel = ? AND kind = 'prompt' AND state IN ('failed', 'cancelled')
        AND (state = 'failed' OR EXISTS (SELECT 1 FROM turn_members WHERE event_seq = events.seq))
      ORDER BY seq DESC LIMIT 1`,
    channel,
  );
  if (row === undefined) return undefined;
  const answered = db.get(
    `SELECT 1 FROM events INDEXED BY events_channel
      WHERE channel = ? AND seq > ? AND state = 'answered' AND CASE kind
        WHEN 'prompt' THEN created_at >= ?
        ELSE EXISTS (SELECT 1 FROM messages WHERE at_event = events.seq AND role = 'assistant') END
      LIMIT 1`,
    channel,
    row.seq,
    row.ended_at,
  );
  return answered === undefined ? toEvent(row) : undefined;
}
