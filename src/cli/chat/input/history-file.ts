import {
  appendFileSync,
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../core/make-directory.js';
import { longestHistory } from './editor.js';

const longestEntry = 20_000;
const mostBytes = 4 * 1024 * 1024;

/**
 * What was typed in earlier chats, one JSON text a line, in TURNOUT_HOME. It is for this user's eyes alone, and it is never
 * worth an error: a disk that is full costs the history, not the chat.
 */
export class HistoryFile {
  readonly #path: string;
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
    this.#path = join(home, 'chat-history');
  }

  read(): readonly string[] {
    try {
      const lines = readEnd(this.#path)
        .split('\n')
        .filter((line) => line !== '');
      const entries = lines.flatMap(entryOf);
      // Twice the length is enough to keep it from being written anew at every start.
      if (lines.length > 2 * longestHistory || statSync(this.#path).size > mostBytes) this.#replace(entries);
      return entries.slice(-longestHistory);
    } catch {
      return [];
    }
  }

  /** A text that begins with a blank is not kept, as in shells. */
  add(text: string): void {
    if (text.startsWith(' ') || text.length > longestEntry) return;
    try {
      makeDirectory(this.#home);
      if (statSync(this.#path, { throwIfNoEntry: false })?.isFile() === false) return;
      appendFileSync(this.#path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
    } catch {
      // The chat goes on without it.
    }
  }

  #replace(entries: readonly string[]): void {
    const kept = entries.slice(-longestHistory).map((entry) => `${JSON.stringify(entry)}\n`);
    const next = `${this.#path}.${process.pid}`;
    writeFileSync(next, kept.join(''), { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, this.#path);
  }
}

function readEnd(path: string): string {
  const facts = statSync(path);
  const { size } = facts;
  // A pipe in its place would be waited for.
  if (!facts.isFile()) return '';
  if (size <= mostBytes) return readFileSync(path, 'utf8');
  const file = openSync(path, 'r');
  try {
    const end = Buffer.alloc(mostBytes);
    const length = readSync(file, end, 0, mostBytes, size - mostBytes);
    const text = end.toString('utf8', 0, length);
    return text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}

function entryOf(line: string): readonly string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' && entry !== '' ? [entry] : [];
  } catch {
    return [];
  }
}
