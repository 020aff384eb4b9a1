import { setImmediate as nextLoop } from 'node:timers/promises';
import type { PruneCut } from '../store.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';
import { forgetRemoved, rememberRemoved } from './removed-events.js';

/** The number of events in one transaction, so that messages that arrive meanwhile don't wait. */
const portion = 200;
/** The number of pages to give back to the file system at a time. */
const vacuumPages = 200;

export interface Pruned {
  readonly events: number;
  readonly messages: number;
}

/** Walks through the events by seq, so it needs no index of its own. */
export async function prune(commits: GroupCommit, cut: PruneCut): Promise<Pruned> {
  let events = 0;
  let messages = 0;
  for (let from: number | undefined = 0; from !== undefined; ) {
    const step: EventStep = await commits.write((db) => pruneEvents(db, from ?? 0, cut));
    events += step.events;
    messages += step.messages;
    from = step.next;
  }
  for (let from: number | undefined = 0; from !== undefined; ) {
    const step: Step = await commits.write((db) => prunePosts(db, from ?? 0, cut.before));
    messages += step.messages;
    from = step.next;
  }
  while ((await commits.write((db) => forgetRemoved(db, cut.keysBefore, portion))) === portion);
  // Each step is a commit, and there can be thousands: writes that arrive meanwhile run in between.
  while (await commits.read(giveBackPages)) await nextLoop();
  return { events, messages };
}

interface Step {
  readonly messages: number;
  /** The event or message to go on behind; `undefined` at the end. */
  readonly next: number | undefined;
}
type EventStep = Step & { readonly events: number };

function pruneEvents(db: Database, from: number, { before, keysBefore }: PruneCut): EventStep {
  const looked = db.all<{ seq: number; ended_at: number | null }>(
    'SELECT seq, ended_at FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
    from,
    portion,
  );
  let events = 0;
  let messages = 0;
  for (const { seq, ended_at } of looked) {
    if (ended_at === null || ended_at >= before || hasUndelivered(db, seq)) continue;
    const turns = db.all<{ turn_seq: number }>('SELECT turn_seq FROM turn_members WHERE event_seq = ?', seq);
    messages +=
      db.get<{ count: number }>('SELECT count(*) AS count FROM messages WHERE at_event = ?', seq)?.count ?? 0;
    rememberRemoved(db, seq, keysBefore);
    // Messages, outbox rows, permissions and memberships are deleted with the event.
    events += db.run('DELETE FROM events WHERE seq = ?', seq);
    for (const { turn_seq } of turns) {
      db.run(
        'DELETE FROM turns WHERE seq = ?1 AND NOT EXISTS (SELECT 1 FROM turn_members WHERE turn_seq = ?1)',
        turn_seq,
      );
    }
  }
  return { events, messages, next: looked.length < portion ? undefined : looked.at(-1)?.seq };
}

function hasUndelivered(db: Database, seq: number): boolean {
  const row = db.get(
    `SELECT 1 FROM messages JOIN outbox ON outbox.message_id = messages.id
      WHERE messages.at_event = ? AND outbox.state = 'pending' LIMIT 1`,
    seq,
  );
  return row !== undefined;
}

/** Removes messages that belong to no event. */
function prunePosts(db: Database, from: number, before: number): Step {
  const looked = db.all<{ id: number; created_at: number; state: string | null }>(
    `SELECT messages.id, messages.created_at, outbox.state FROM messages
      LEFT JOIN outbox ON outbox.message_id = messages.id
      WHERE messages.at_event IS NULL AND messages.id > ? ORDER BY messages.id LIMIT ?`,
    from,
    portion,
  );
  let messages = 0;
  for (const { id, created_at, state } of looked) {
    if (created_at < before && state !== 'pending')
      messages += db.run('DELETE FROM messages WHERE id = ?', id);
  }
  return { messages, next: looked.length < portion ? undefined : looked.at(-1)?.id };
}

/** Returns true while there are more pages to give back. */
function giveBackPages(db: Database): boolean {
  const free = () => db.get<{ freelist_count: number }>('PRAGMA freelist_count')?.freelist_count ?? 0;
  const before = free();
  if (before === 0) return false;
  db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
  const after = free();
  return after > 0 && after < before;
}
