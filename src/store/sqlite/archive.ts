import type { ChatEvent } from '../../core/chat-event.js';
import { parseJson } from '../../core/json.js';
import { limitedJson } from '../limited-json.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';

/** Readers that follow a turn hold one row each at a time. */
const rowCharacters = 64 * 1024;

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

/** Part by part: others have their turn in between, since a turn may have megabytes of them. */
export async function readArchive(
  commits: GroupCommit,
  turnId: string,
  maxCharacters = Number.POSITIVE_INFINITY,
): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for (let part = 0, read = 0; read < maxCharacters; part += 1) {
    const found = await commits.read((db) => {
      const lines = linesOf(db, turnId, part);
      return lines === undefined ? undefined : { events: parseLines(lines), characters: lines.length };
    });
    if (found === undefined) break;
    for (const event of found.events) events.push(event);
    read += found.characters;
  }
  return events;
}

export function readPart(db: Database, turnId: string, part: number): ChatEvent[] | undefined {
  const lines = linesOf(db, turnId, part);
  return lines === undefined ? undefined : parseLines(lines);
}

function linesOf(db: Database, turnId: string, part: number): string | undefined {
  return db.get<{ lines: string }>(
    'SELECT lines FROM turns JOIN turn_events ON turn_seq = turns.seq WHERE turns.id = ? AND part = ?',
    turnId,
    part,
  )?.lines;
}

function parseLines(lines: string): ChatEvent[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as ChatEvent);
}
