import type { Database } from './database.js';
import { refreshLane } from './lanes.js';
import type { EventRow } from './read-rows.js';

/** True if the event was one that waits and has never been in a turn: nobody has seen its text yet. */
export function changeWaiting(db: Database, eventId: string, text: string, context?: string): boolean {
  const event = untried(db, eventId);
  if (event === undefined) return false;
  db.run('UPDATE events SET text = ?, context = ? WHERE seq = ?', text, context, event.seq);
  db.run('UPDATE messages SET text = ? WHERE at_event = ? AND opening = 1', text, event.seq);
  return true;
}

/**
 * Everything about a conversation is in the order of its events' numbers. So the event takes the number of the first one that
 * waits, and those in between move up by one. Events that have been in a turn keep their numbers, and their place in front.
 */
export function moveToFront(db: Database, eventId: string): boolean {
  const event = untried(db, eventId);
  if (event === undefined) return false;
  const others = db.all<{ readonly seq: number }>(
    `SELECT seq FROM events INDEXED BY events_waiting WHERE channel = ? AND state = 'queued' AND seq < ?
      AND NOT EXISTS (SELECT 1 FROM turn_members WHERE event_seq = events.seq) ORDER BY seq`,
    event.channel,
    event.seq,
  );
  const [first] = others;
  if (first === undefined) return true;
  const numbers = [...others.map(({ seq }) => seq), event.seq];
  // The messages of an event refer to its number: they agree again at the end of the transaction.
  db.exec('PRAGMA defer_foreign_keys = ON');
  renumber(db, event.seq, -event.seq);
  for (let place = others.length - 1; place >= 0; place -= 1)
    renumber(db, numbers[place] as number, numbers[place + 1] as number);
  renumber(db, -event.seq, first.seq);
  refreshLane(db, event.channel);
  return true;
}

function untried(db: Database, eventId: string): Pick<EventRow, 'seq' | 'channel'> | undefined {
  return db.get<Pick<EventRow, 'seq' | 'channel'>>(
    `SELECT seq, channel FROM events WHERE id = ? AND state = 'queued' AND kind = 'prompt'
      AND NOT EXISTS (SELECT 1 FROM turn_members WHERE event_seq = events.seq)`,
    eventId,
  );
}

function renumber(db: Database, from: number, to: number): void {
  db.run('UPDATE events SET seq = ? WHERE seq = ?', to, from);
  db.run('UPDATE messages SET at_event = ? WHERE at_event = ?', to, from);
}
