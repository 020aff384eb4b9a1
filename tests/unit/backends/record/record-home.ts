import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exchange, RecordedTools, RecordQuery } from '../../../../src/backends/record/types.js';
import { createBackend, type VendorName } from '../../../../src/backends/registry.js';
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';

const Sqlite = await loadSqlite();

/** The ids that the recordings have. */
export const sessionIds: Readonly<Record<VendorName, string>> = {
  claude: '11111111-2222-4333-8444-555555555555',
  codex: '11111111-2222-4333-8444-555555555555',
  gemini: '00000000-0000-4000-8000-000000000001',
  opencode: 'ses_1',
};

/** Where each CLI keeps the record of a session. OpenCode's is a database. */
const files: Readonly<Record<VendorName, string>> = {
  claude: `.claude/projects/-work-dir/${sessionIds.claude}.jsonl`,
  codex: `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${sessionIds.codex}.jsonl`,
  gemini: '.gemini/tmp/project/chats/session-2026-01-01T00-00-00000000.jsonl',
  opencode: '.local/share/opencode/opencode.db',
};

export function recordedLines(backend: VendorName): readonly string[] {
  const url = new URL(`../../../fixtures/recordings/${backend}/session-record.ndjson`, import.meta.url);
  return readFileSync(url, 'utf8').trimEnd().split('\n');
}

export interface RecordHome {
  readonly path: string;
  /** Adds sessions that hold nothing, with the same names each time. */
  addSessions(count: number): void;
  look(query: Partial<RecordQuery>): Promise<RecordedTools>;
  lastExchange(): Promise<Exchange | undefined>;
}

/** A home in which the CLI has written down these lines of its recording. */
export function recordHome(backend: VendorName, lines?: readonly string[]): RecordHome {
  const home = mkdtempSync(join(tmpdir(), 'turnout-record-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, files[backend]);
  if (lines !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    if (backend === 'opencode') writeDatabase(path, lines);
    else writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  }
  const adapter = createBackend(backend, {
    cliPath: backend,
    workingDir: '/work-dir',
    queryTimeoutMs: 0,
    allowedTools: [],
    maxTurns: 1,
    env: { HOME: home },
  });
  return {
    path,
    lastExchange: async () => adapter.lastExchange?.(sessionIds[backend], '/work-dir'),
    addSessions: (count) => addSessions(backend, path, count),
    async look(query) {
      const found = await adapter.recordedTools?.({
        sessionId: sessionIds[backend],
        isNamed: true,
        cwd: '/work-dir',
        since: 0,
        prompt: '',
        clockSetBack: false,
        ...query,
      });
      if (found === undefined) throw new Error(`${backend} reads no records.`);
      return found;
    },
  };
}

function addSessions(backend: VendorName, path: string, count: number): void {
  if (backend !== 'opencode') {
    for (let n = 0; n < count; n += 1) {
      const id = String(n + 1).padStart(8, '0');
      writeFileSync(path.replace(/[^-]*\.jsonl$/, `${backend === 'gemini' ? '' : 'x'}${id}.jsonl`), '');
    }
    return;
  }
  const database = new Sqlite(path);
  const insert = database.prepare('INSERT OR REPLACE INTO session VALUES (?, ?, ?)');
  for (let n = 0; n < count; n += 1) insert.run(`ses_new_${n}`, '/work-dir', Date.UTC(2026, 0, 2));
  database.close();
}

/** The tables of OpenCode 1.18.33, as far as they are read. */
function writeDatabase(path: string, lines: readonly string[]): void {
  const database = new Sqlite(path);
  database.exec(`
    PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;
    CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT NOT NULL, time_created INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
      time_created INTEGER NOT NULL, data TEXT NOT NULL)`);
  database.prepare('INSERT INTO session VALUES (?, ?, ?)').run('ses_1', '/work-dir', Date.UTC(2026, 0, 1));
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('{"at"')) insertPart(database, String(index).padStart(4, '0'), JSON.parse(line));
    else database.exec(`INSERT INTO message VALUES ('m${index}', 'ses_1', 0, '{}')`);
  }
  database.exec('COMMIT');
  database.close();
}

function insertPart(
  database: InstanceType<typeof Sqlite>,
  id: string,
  row: Readonly<Record<string, string | number | null>>,
): void {
  const { at = 0, role, type, text, tool, callId: callID, status, input, error } = row;
  const state = { status, input: typeof input === 'string' ? JSON.parse(input) : null, error };
  const data = JSON.stringify({ type, text, tool, callID, state });
  database
    .prepare('INSERT INTO message VALUES (?, ?, ?, ?)')
    .run(`msg_${id}`, 'ses_1', at, JSON.stringify({ role }));
  database
    .prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?)')
    .run(`prt_${id}`, `msg_${id}`, 'ses_1', at, data);
}
