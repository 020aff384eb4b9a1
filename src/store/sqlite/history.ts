import type { HistoryMessage, NewEvent } from '../store.js';
import type { Database } from './database.js';
import type { NewId } from './lanes.js';
import { write } from './outbox.js';

/**
 * Writes what was said elsewhere as the beginning of a channel's conversation: as events that an agent has answered, because
 * only these are told to the next agent. In a channel that has an event already, nothing is written.
 */
export function importHistory(
  db: Database,
  { channel, source, at }: NewEvent,
  history: readonly HistoryMessage[],
  newId: NewId,
): void {
  if (history.length === 0) return;
  if (db.get('SELECT 1 FROM events WHERE channel = ? LIMIT 1', channel) !== undefined) return;
  for (const { prompt, answers } of exchanges(history)) {
    const id = newId('evt');
    const seq = db.insert(
      `INSERT INTO events (id, channel, source, kind, text, state, created_at, ended_at, attempts, response_text)
        VALUES (?, ?, ?, 'prompt', ?, 'answered', ?, ?, 1, ?)`,
      id,
      channel,
      source,
      prompt ?? '',
      at,
      at,
      answers.at(-1),
    );
    const place = { channel, eventId: id, atEvent: seq, at };
    if (prompt !== undefined) write(db, { ...place, opening: true, role: 'user', text: prompt });
    for (const text of answers) write(db, { ...place, role: 'assistant', text });
  }
}

interface Exchange {
  /** Undefined if the history begins with an answer. */
  readonly prompt: string | undefined;
  readonly answers: string[];
}

function exchanges(history: readonly HistoryMessage[]): readonly Exchange[] {
  const all: Exchange[] = [];
  for (const { role, text } of history) {
    const last = all.at(-1);
    if (role === 'user') all.push({ prompt: text, answers: [] });
    else if (last === undefined) all.push({ prompt: undefined, answers: [text] });
    else last.answers.push(text);
  }
  return all;
}
