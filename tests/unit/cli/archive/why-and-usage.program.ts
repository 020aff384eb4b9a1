import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { StoredEvent } from '../../../../src/store/rows.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { it, type Stage } from '../../../contract/stage.js';
import { begin, exchange, finishTurn, say } from '../../gateway/archive/archive-rows.js';
import { buildOnce, turnout } from '../turnout.js';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);
const day = 86_400_000;

beforeAll(buildOnce);

describe.concurrent('turnout why', { timeout: 60_000 }, () => {
  it('tells all about an event that took two attempts', async ({ stage }) => {
    const { event, turns } = await retried(stage);
    const done = await turnout(stage, ['why', event.id]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toBe(`Event ${event.id}: answered
  channel  general (http from alice, prompt)
  came     2026-01-31 12:00:00
  ended    2026-01-31 12:00:06, 6.0 s later
  text     ${'What is it? '.repeat(17).slice(0, 199)}…
  answer   A test.

Attempt 1 of 2: turn ${turns[0]}, to be tried again
  when     2026-01-31 12:00:00, 500 ms
  backend  claude, model opus, one-shot
  cwd      /work
  session  session-1, begun anew
  prompt   1 file, 2,000 characters, sha256 cdcdcdcdcdcd; 3 messages of the archive in front
             identity.md  2,048 bytes, truncated  sha256 abababababab
  error    overloaded: busy

Attempt 2 of 2: turn ${turns[1]}, answered
  when     2026-01-31 12:00:05, 1.0 s
  backend  claude, model opus, one-shot
  cwd      /work
  session  session-1, begun anew
  prompt   1 file, 2,000 characters, sha256 cdcdcdcdcdcd; 3 messages of the archive in front
             identity.md  2,048 bytes, truncated  sha256 abababababab
  tools    Bash ls -l · ok · 300 ms
  asked    Bash ls -l: allow
  notices  warning: slow
  usage    1,200 tokens in, 40 out, $0.0123
  stopped  end_turn
`);
  });

  it('shows everything with --full, and as JSON', async ({ stage }) => {
    const { event } = await retried(stage);
    const full = await turnout(stage, ['why', event.id, '--full']);
    expect(full.stdout).toContain('What is it? '.repeat(40).trimEnd());
    expect(full.stdout).toContain('sha256 '.concat('ab'.repeat(32)));
    const { event: shown, turns } = JSON.parse((await turnout(stage, ['why', event.id, '--json'])).stdout);
    expect(shown).toMatchObject({ id: event.id, state: 'answered', attempts: 2, responseText: 'A test.' });
    expect(turns).toMatchObject([
      { state: 'postponed', error: { code: 'overloaded' } },
      { state: 'answered', tools: [{ name: 'Bash' }], events: expect.arrayContaining([expect.anything()]) },
    ]);
  });

  it('tells that a message still waits', async ({ stage }) => {
    const store = await openSqliteStore(join(stage.home, 'turnout.db'));
    const event = await say(store, { channel: 'c', text: 'hello', at: noon });
    const done = await turnout(stage, ['why', event.id]);
    await store.close();
    expect(done.stdout).toContain(`Event ${event.id}: queued`);
    expect(done.stdout).toContain('No turn was begun for it.');
  });
});

describe.concurrent('turnout usage', { timeout: 60_000 }, () => {
  it('adds up by day, with the cost where it is known', async ({ stage }) => {
    await used(stage);
    expect(
      (await turnout(stage, ['usage'])).stdout,
    ).toBe(`DAY         TURNS  TOKENS IN  CACHED  TOKENS OUT     COST
2026-01-30      1      1,000     500          10  $0.5000
2026-01-31      2      2,000       0          20        -
total           3      3,000     500          30  $0.5000
`);
    expect((await turnout(stage, ['usage', '--since', '2027-01-01'])).stdout).toBe('No turns.\n');
  });

  it.for([
    [['--by', 'backend'], { keys: ['claude', 'codex'], turns: 3, cost: 0.5 }],
    [['--by', 'channel'], { keys: ['a', 'b'], turns: 3, cost: 0.5 }],
    [['--by', 'model'], { keys: ['opus'], turns: 3, cost: 0.5 }],
    [['--channel', 'b'], { keys: ['2026-01-31'], turns: 1 }],
    [['--until', '2026-01-30'], { keys: ['2026-01-30'], turns: 1, cost: 0.5 }],
    [['--since', '2026-01-31'], { keys: ['2026-01-31'], turns: 2 }],
  ] as const)('adds up what is asked for: %j', async ([args, sums], { stage }) => {
    await used(stage);
    const done = await turnout(stage, ['usage', '--json', ...args]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const { rows, total } = JSON.parse(done.stdout);
    const keys = rows.map(({ key }: { key: string }) => key);
    expect({ keys, turns: total.turns, cost: total.costUsd }).toEqual(sums);
  });
});

async function used(stage: Stage): Promise<void> {
  const store = await openSqliteStore(join(stage.home, 'turnout.db'));
  const usage = { inputTokens: 1000, outputTokens: 10 };
  const first = { ...usage, cachedInputTokens: 500, costUsd: 0.5 };
  await exchange(store, { channel: 'a', text: '1', at: noon - day, usage: first });
  await exchange(store, { channel: 'a', text: '2', at: noon, usage });
  await exchange(store, { channel: 'b', text: '3', at: noon, backend: 'codex', usage });
  await store.close();
}

async function retried(stage: Stage): Promise<{ event: StoredEvent; turns: readonly string[] }> {
  const store = await openSqliteStore(join(stage.home, 'turnout.db'));
  const first = { channel: 'general', author: 'alice', text: 'What is it? '.repeat(40), at: noon };
  const event = await say(store, first);
  const error = { code: 'overloaded', message: 'busy' } as const;
  await store.postpone(await begin(store, first), { at: noon + 500, notBefore: noon, error, events: [] });
  const tool = { name: 'Bash', input: { command: 'ls -l' } };
  const second = { ...first, at: noon + 5000, answer: 'A test.', tool };
  await finishTurn(store, await begin(store, second), {
    ...second,
    usage: { inputTokens: 1200, outputTokens: 40, costUsd: 0.0123 },
    events: [
      { type: 'tool_start', id: 'tool-1', ...tool },
      { type: 'permission_request', id: 'p', tool: 'Bash', input: tool.input, options: ['allow', 'deny'] },
      { type: 'permission_resolved', id: 'p', decision: 'allow' },
      { type: 'tool_end', id: 'tool-1', output: '', isError: false },
      { type: 'notice', level: 'warning', message: 'slow' },
      { type: 'complete', text: 'A test.', sessionId: 'session-1', stopReason: 'end_turn' },
    ],
  });
  const turns = (await store.turns(event.id)).map(({ id }) => id);
  await store.close();
  return { event, turns };
}
