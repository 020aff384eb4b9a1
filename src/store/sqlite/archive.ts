import type { ChatEvent } from '../../core/chat-event.js';
import { parseJson } from '../../core/json.js';
import { limitedJson } from '../limited-json.js';
import type { Database } from './database.js';

const rowCharacters = 256 * 1024;

export function archive(db: Database, turnSeq: number, events: readonly ChatEvent[]): void {
  let lines = '';
  let part = 0;
  const write = () => {
    if (lines === '') return;
    db.run('INSERT INTO turn_events (turn_seq, part, lines) VALUES (?, ?, ?)', turnSeq, part++, lines);
    lines = '';
  };
  for (const event of events) {
    lines += `${limitedJson(event)}\n`;
    if (lines.length > rowCharacters) write();
  }
  write();
}

export function readArchive(
  db: Database,
  turnId: string,
  maxCharacters = Number.POSITIVE_INFINITY,
): ChatEvent[] {
  const turn = db.get<{ seq: number }>('SELECT seq FROM turns WHERE id = ?', turnId);
  const events: ChatEvent[] = [];
  let read = 0;
  for (let part = 0; turn !== undefined && read < maxCharacters; part += 1) {
    const row = db.get<{ lines: string }>(
      'SELECT lines FROM turn_events WHERE turn_seq = ? AND part = ?',
      turn.seq,
      part,
    );
    if (row === undefined) break;
    for (const line of row.lines.split('\n')) if (line !== '') events.push(parseJson(line) as ChatEvent);
    read += row.lines.length;
  }
  return events;
}
