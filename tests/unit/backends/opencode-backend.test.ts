import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { OpenCodeBackend } from '../../../src/backends/opencode-backend.js';
import type { RunRequest, SpawnedCommand } from '../../../src/backends/types.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import type { SqliteConnection } from '../../../src/sqlite/connection.js';
import { loadSqlite } from '../../../src/sqlite/load-sqlite.js';
import { it, type Stage } from '../../contract/stage.js';

const Sqlite = await loadSqlite();
const id = 'ses_1';
const start = { type: 'step_start', sessionID: id, part: { type: 'step-start' } };
const says = (text: string) => ({ type: 'text', sessionID: id, part: { text } });
const tokens = { input: 30, output: 5, reasoning: 2, cache: { read: 30, write: 0 } };
const finish = (reason: string) => ({ type: 'step_finish', sessionID: id, part: { reason, tokens } });
const error = (name: string, data: object) => ({ type: 'error', sessionID: id, error: { name, data } });
const answer = [start, says('fine'), finish('stop')];

describe('a one-shot run of OpenCode', () => {
  const message = "The response was blocked by the provider's content filter";
  const filtered = error('ContentFilterError', { message });

  it('that a filter stopped is a refusal, as it is live: what was said before is the answer', async ({
    stage,
  }) => {
    const { events } = await run(stage, [start, says('no'), finish('content-filter'), filtered], { exit: 1 });
    expect(events.map(({ type }) => type)).toEqual(['session', 'text', 'usage', 'complete']);
    expect(events.at(-1)).toEqual({
      type: 'complete',
      text: 'no',
      sessionId: id,
      stopReason: 'refusal',
      usage: { inputTokens: 60, outputTokens: 7, cachedInputTokens: 30, costUsd: 0, contextTokens: 67 },
    });
  });

  it('that a filter stopped before the first word is a failure that another try does not mend', async ({
    stage,
  }) => {
    const { events } = await run(stage, [start, finish('content-filter'), filtered], { exit: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'unknown', retryable: false });
  });

  it.for([
    ['ProviderAuthError', { message: 'no key' }, 'auth'],
    ['ContextOverflowError', { message: 'it is full' }, 'bad_request'],
    ['MessageOutputLengthError', {}, 'bad_request'],
  ] as const)('that ends with a %s has the code that it has live', async ([name, data, code], { stage }) => {
    const { events } = await run(stage, [start, error(name, data)], { exit: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'error', code, retryable: false });
  });

  it('names the model that was asked for', async ({ stage }) => {
    const { events } = await run(stage, answer, { request: { prompt: 'hi', model: 'lab/x' } });
    expect(events[0]).toEqual({ type: 'session', sessionId: id, backend: 'opencode', model: 'lab/x' });
  });

  it('works in the directory that was asked for, not in that of the shell around it', async ({ stage }) => {
    const { command } = await run(stage, answer, { env: { PWD: stage.home } });
    expect(command?.env['PWD']).toBe(stage.workingDir);
  });
});

describe('a session of OpenCode that was made in another directory', () => {
  const resumed = { request: { prompt: 'hi', sessionId: id } };

  it('is resumed where it was made, and the turn says so', async ({ stage }) => {
    const there = made(stage, stage.path('there'));
    const { events, command } = await run(stage, answer, resumed);
    expect(command?.args.join(' ')).toContain(`--dir ${there}`);
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'notice', level: 'warning', message: expect.stringContaining(`it works in ${there}, not in`) },
      { type: 'session', sessionId: id },
    ]);
  });

  it('can not be resumed when that is gone, and nothing is started', async ({ stage }) => {
    rmSync(made(stage, stage.path('there')), { recursive: true });
    const { events, command } = await run(stage, answer, resumed);
    expect(events).toMatchObject([{ type: 'error', code: 'bad_request', retryable: false }]);
    expect(command).toBeUndefined();
  });

  it.for(['the same directory', 'a link to it', 'no database', 'other tables'])(
    'is another matter: %s',
    async (what, { stage }) => {
      const cwd = what === 'a link to it' ? stage.path('link') : stage.workingDir;
      if (what === 'a link to it') symlinkSync(stage.workingDir, cwd);
      if (what === 'other tables') store(stage, (db) => db.exec('CREATE TABLE other (id TEXT)'));
      else if (what !== 'no database') made(stage, stage.workingDir);
      const { events, command } = await run(stage, answer, { request: { ...resumed.request, cwd } });
      expect(command?.args).not.toContain('--dir');
      expect(events.map(({ type }) => type)).toEqual(['session', 'text', 'usage', 'complete']);
    },
  );
});

/** A session in OpenCode's own database. */
function made(stage: Stage, directory: string): string {
  mkdirSync(directory, { recursive: true });
  store(stage, (db) => {
    db.exec('CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT NOT NULL)');
    db.prepare('INSERT INTO session VALUES (?, ?)').run(id, directory);
  });
  return directory;
}

function store(stage: Stage, fill: (db: SqliteConnection) => void): void {
  const data = join(stage.home, '.local', 'share', 'opencode');
  mkdirSync(data, { recursive: true });
  const db = new Sqlite(join(data, 'opencode.db'));
  fill(db);
  db.close();
}

async function run(
  stage: Stage,
  lines: readonly object[],
  how: { exit?: number; request?: RunRequest; env?: Record<string, string> } = {},
): Promise<{ events: readonly ChatEvent[]; command: SpawnedCommand | undefined }> {
  const stdout = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const env = { ...stage.replay(stdout, { exit: how.exit ?? 0 }), ...how.env };
  const backend = new OpenCodeBackend(stage.config('replay.sh', env));
  const events: ChatEvent[] = [];
  let command: SpawnedCommand | undefined;
  const turn = backend.run(how.request ?? { prompt: 'hi' }, { onSpawn: (told) => (command = told) });
  for await (const event of turn) events.push(event);
  return { events, command };
}
