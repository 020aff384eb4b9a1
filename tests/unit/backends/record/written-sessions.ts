import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { VendorName } from '../../../../src/backends/registry.js';
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';

const Sqlite = await loadSqlite();

/** A session as a CLI has written it down. */
export interface WrittenSession {
  readonly id: string;
  readonly cwd: string;
  /** In seconds. */
  readonly usedAt: number;
  /** Without one nobody has said anything yet. */
  readonly prompt?: string;
  readonly subagent?: boolean;
}

export function sessionId(digit: number): string {
  return `${digit}`.repeat(8).concat('-1111-4111-8111-111111111111');
}

export function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-list-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Writes the beginnings of records, shortened from those of the real CLIs. */
export function writeSessions(backend: VendorName, home: string, sessions: readonly WrittenSession[]): void {
  if (backend === 'opencode') {
    writeDatabase(home, sessions);
    return;
  }
  for (const session of sessions) {
    const file = recordPath(backend, home, session);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      lines[backend](session)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    utimesSync(file, session.usedAt, session.usedAt);
  }
}

export function recordPath(
  backend: Exclude<VendorName, 'opencode'>,
  home: string,
  { id, cwd, subagent }: WrittenSession,
): string {
  switch (backend) {
    case 'claude': {
      const project = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
      return join(home, `.claude/projects/${project}/${subagent ? 'agent-' : ''}${id}.jsonl`);
    }
    case 'codex':
      return join(home, `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`);
    case 'gemini':
      return join(home, `.gemini/tmp/project/chats/session-2026-01-01T00-00-${id.slice(0, 8)}.jsonl`);
  }
}

const lines: Record<Exclude<VendorName, 'opencode'>, (session: WrittenSession) => readonly object[]> = {
  claude: ({ id: sessionId, cwd, prompt }) => {
    const user = (content: unknown, more: object = {}) => ({
      ...{ type: 'user', isSidechain: false, cwd, sessionId, message: { role: 'user', content } },
      ...more,
    });
    const typed = [
      { type: 'text', text: '<ide_opened_file>a.ts</ide_opened_file>' },
      { type: 'text', text: prompt },
    ];
    return [
      { type: 'queue-operation', operation: 'enqueue', sessionId, content: 'not this one' },
      user('<local-command-caveat>Caveat: these are commands.</local-command-caveat>', { isMeta: true }),
      user('<command-name>/clear</command-name>'),
      ...(prompt === undefined ? [] : [user(typed), user('a later one')]),
    ];
  },
  codex: ({ id, cwd, prompt, subagent }) => {
    const message = (text: string, kind: string) => ({
      type: 'response_item',
      payload: {
        ...{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
        internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] },
      },
    });
    const source = subagent ? { subagent: { other: 'x' } } : 'exec';
    return [
      { type: 'session_meta', payload: { id, cwd, source, base_instructions: { text: 'x'.repeat(20_000) } } },
      message('<environment_context>\n</environment_context>', 'environments.environment_context'),
      ...(prompt === undefined ? [] : [message(prompt, 'user.text'), message('a later one', 'user.text')]),
    ];
  },
  gemini: ({ id, cwd, prompt, subagent, usedAt }) => {
    const user = (text: string) => ({ id: 'm', type: 'user', content: [{ text }] });
    const projectHash = createHash('sha256').update(cwd).digest('hex');
    const lastUpdated = new Date(usedAt * 1000).toISOString();
    return [
      { sessionId: id, projectHash, kind: subagent ? 'subagent' : 'main' },
      { $set: { messages: [user('<session_context>\nThis is the Gemini CLI.\n</session_context>')] } },
      ...(prompt === undefined ? [] : [user(`<instructions>\nBe brief.\n</instructions>\n\n${prompt}`)]),
      ...(prompt === undefined ? [] : [user('a later one')]),
      { $set: { lastUpdated } },
    ];
  },
};

export function databasePath(home: string): string {
  return join(home, '.local/share/opencode/opencode.db');
}

/** The tables of OpenCode 1.18.33, as far as they are read. */
function writeDatabase(home: string, sessions: readonly WrittenSession[]): void {
  const file = databasePath(home);
  mkdirSync(dirname(file), { recursive: true });
  const database = new Sqlite(file);
  database.exec(`
    PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;
    CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER, time_archived INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)`);
  for (const { id, cwd, usedAt, prompt, subagent } of sessions) {
    database
      .prepare('INSERT INTO session VALUES (?, ?, ?, ?, NULL)')
      .run(id, subagent ? 'ses_parent' : null, cwd, usedAt * 1000);
    if (prompt === undefined) continue;
    database.prepare('INSERT INTO message VALUES (?, ?, ?)').run(`msg_${id}`, id, '{"role":"user"}');
    const parts = [
      { type: 'text', text: 'Called the Read tool', synthetic: true },
      { type: 'text', text: prompt },
      { type: 'text', text: 'a later one' },
    ];
    for (const part of parts)
      database
        .prepare('INSERT INTO part VALUES (?, ?, ?, ?)')
        .run('prt', `msg_${id}`, id, JSON.stringify(part));
  }
  database.exec('COMMIT');
  database.close();
}
