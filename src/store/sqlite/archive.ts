import type { ChatEvent } from '../../core/chat-event.js';
import { parseJson, printJson } from '../../core/json.js';
import type { Database } from './database.js';

/** The limit for one archived event: long strings in it are cut and marked. */
export const maxArchivedBytes = 64 * 1024;
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

/** Returns JSON of at most 64 KB: long strings are cut, the longest most. */
export function limitedJson(value: unknown): string {
  const json = printJson(value);
  if (fits(json)) return json;
  for (let longest = maxArchivedBytes / 4; longest >= 16; longest /= 4) {
    const shorter = printJson(value, (_, inner) => (typeof inner === 'string' ? cut(inner, longest) : inner));
    if (fits(shorter)) return shorter;
  }
  // If the value consists of so many small pieces that cutting strings does not help, only a text with its
  // beginning is kept.
  return JSON.stringify({ ...typeOf(value), cut: cut(json, maxArchivedBytes / 8) });
}

function fits(json: string): boolean {
  // A UTF-16 unit takes at most three bytes, so most values need no counting.
  return json.length * 3 <= maxArchivedBytes || Buffer.byteLength(json) <= maxArchivedBytes;
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}… [${text.length - longest} characters cut]`;
}

function typeOf(value: unknown): { type?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value ? { type: value.type } : {};
}
