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

export function readArchive(db: Database, turnId: string): ChatEvent[] {
  const rows = db.all<{ lines: string }>(
    `SELECT lines FROM turn_events JOIN turns ON turns.seq = turn_events.turn_seq
      WHERE turns.id = ? ORDER BY part`,
    turnId,
  );
  return rows.flatMap(({ lines }) =>
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseJson(line) as ChatEvent),
  );
}
