import type { Delivery, Role, StoredMessage } from '../rows.js';
import type { NewMessage, UndeliveredRequest } from '../store.js';
import type { Database, Value } from './database.js';
import { openLane } from './lanes.js';
import { type MessageRow, toMessage } from './read-rows.js';

export interface Line {
  readonly channel: string;
  readonly eventId?: string | undefined;
  /** The seq of the event that the message belongs to in the order of the conversation. */
  readonly atEvent?: number | undefined;
  /** True for the text of the event itself. */
  readonly opening?: boolean | undefined;
  readonly role: Role;
  readonly text: string;
  readonly backend?: string | undefined;
  readonly silent?: boolean | undefined;
  readonly at: number;
}

/**
 * Writes a message into the conversation and returns its id. A channel that was put away comes back with it, and the mark of
 * the conversation's end is gone.
 */
export function write(db: Database, line: Line): number {
  db.run(
    `UPDATE channels SET archived = 0, end_mark = NULL
      WHERE name = ? AND (archived = 1 OR end_mark IS NOT NULL)`,
    line.channel,
  );
  return db.insert(
    `INSERT INTO messages (channel, event_id, at_event, opening, role, text, backend, created_at, silent)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    line.channel,
    line.eventId,
    line.atEvent,
    line.opening === true ? 1 : 0,
    line.role,
    line.text,
    line.backend,
    line.at,
    line.silent === true ? 1 : 0,
  );
}

/** Writes a message and puts it into the outbox. */
export function say(db: Database, line: Line, source: string): number {
  const id = write(db, line);
  db.run(
    `INSERT INTO outbox (message_id, channel, source, head) VALUES
      (?1, ?2, ?3, NOT EXISTS (SELECT 1 FROM outbox WHERE channel = ?2 AND state = 'pending'))`,
    id,
    line.channel,
    source,
  );
  return id;
}

export function post(db: Database, message: NewMessage, at: number): StoredMessage {
  openLane(db, message.channel);
  const event =
    message.eventId === undefined
      ? undefined
      : db.get<{ seq: number; source: string }>(
          'SELECT seq, source FROM events WHERE id = ?',
          message.eventId,
        );
  const source = message.source ?? event?.source ?? '';
  const id = say(db, { ...message, atEvent: event?.seq, at }, source);
  return { id, ...pick(message), createdAt: at };
}

export function undelivered(db: Database, request: UndeliveredRequest): Delivery[] {
  const { now, longestWaitMs } = request;
  const limit = Math.max(0, request.limit);
  const due = heads(db, '<=', now, limit);
  if (longestWaitMs === undefined) return due;
  return [...due, ...heads(db, '>', Math.ceil(now + longestWaitMs), limit - due.length)];
}

/** Two ranges of the index: an OR of them would read all of it. */
function heads(db: Database, relation: '<=' | '>', notBefore: number, limit: number): Delivery[] {
  if (limit === 0) return [];
  const rows = db.all<MessageRow & { source: string; attempts: number }>(
    `SELECT messages.*, outbox.source, outbox.attempts FROM outbox INDEXED BY outbox_heads
      JOIN messages ON messages.id = outbox.message_id
      WHERE head = 1 AND not_before ${relation} ? ORDER BY not_before, message_id LIMIT ?`,
    notBefore,
    limit,
  );
  return rows.map((row) => ({
    id: row.id,
    message: toMessage(row),
    source: row.source,
    attempts: row.attempts,
  }));
}

export function delivered(db: Database, ids: readonly number[], at: number): void {
  for (const id of ids) takeOut(db, id, "state = 'delivered', delivered_at = ?", at);
}

export function notDelivered(
  db: Database,
  id: number,
  failure: { readonly error: string; readonly notBefore?: number },
): void {
  const { error, notBefore } = failure;
  if (notBefore !== undefined) {
    db.run(
      "UPDATE outbox SET attempts = attempts + 1, error = ?, not_before = ? WHERE message_id = ? AND state = 'pending'",
      error,
      Math.ceil(notBefore),
      id,
    );
    return;
  }
  takeOut(db, id, "state = 'given_up', attempts = attempts + 1, error = ?", error);
}

/** Takes a message out of the outbox; the channel's next one becomes its head. */
function takeOut(db: Database, id: number, set: string, value: Value): void {
  const row = db.get<{ channel: string }>(
    `UPDATE outbox SET head = 0, ${set} WHERE message_id = ? AND state = 'pending' RETURNING channel`,
    value,
    id,
  );
  if (row === undefined) return;
  db.run(
    `UPDATE outbox SET head = 1 WHERE message_id =
      (SELECT min(message_id) FROM outbox INDEXED BY outbox_pending WHERE channel = ? AND state = 'pending')`,
    row.channel,
  );
}

function pick({
  channel,
  eventId,
  role,
  text,
  backend,
}: NewMessage): Omit<StoredMessage, 'id' | 'createdAt'> {
  return { channel, eventId, role, text, backend };
}
