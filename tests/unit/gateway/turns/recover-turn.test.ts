import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordedTools, RecordQuery } from '../../../../src/backends/record/types.js';
import { type RecoveryParts, recoverTurn } from '../../../../src/gateway/turns/recover-turn.js';
import { TurnOutputs } from '../../../../src/gateway/turns/turn-outputs.js';
import { maxCrashes } from '../../../../src/gateway/turns/verdicts.js';
import type { StoredEvent } from '../../../../src/store/rows.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Lease, Store } from '../../../../src/store/store.js';
import { directoryWith } from '../temporary-directory.js';

/** A store with one message, and gateways that die while they work on it. */
async function setUp() {
  const store = await openSqliteStore(join(await directoryWith({}), 'turnout.db'));
  onTestFinished(() => store.close());
  const event = { channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at: 1 } as const;
  const { id } = (await store.accept(event, { maxWaiting: 9 })).event;
  const look = async (): Promise<StoredEvent> => {
    const found = await store.event(id);
    if (found === undefined) throw new Error('It is gone.');
    return found;
  };
  return {
    store,
    look,
    claim: () => claim(store),
    restart: (more?: Parameters<typeof restart>[1]) => restart(store, more),
  };
}

async function claim(store: Store): Promise<Lease> {
  const [claimed] = await store.claim({ worker: 'dead', now: 10, leaseUntil: 20, limit: 1 });
  if (claimed === undefined) throw new Error('Nothing waits.');
  return claimed.lease;
}

const nothingElse = { runtime: undefined as never, outputs: undefined as never };

async function restart(
  store: Store,
  more: Omit<RecoveryParts, 'store' | 'now'> = nothingElse,
): Promise<void> {
  const parts = { store, now: () => 10, ...more };
  const abandoned = await store.takeOver({ worker: 'next', now: 10, leaseUntil: 20, all: true });
  for (const turn of abandoned) {
    const settlement = await recoverTurn(turn, parts);
    if (settlement.type === 'finish') await store.finish(turn.lease, settlement.outcome);
    else await store.postpone(turn.lease, settlement.retry);
  }
}

const setup = {
  backend: 'claude',
  cwd: '/work-dir',
  live: true,
  prompt: { files: [], characters: 0, hash: '', seededMessages: 0 },
};

/** The agent has printed nothing, and its record says this. */
async function recordSays(found: RecordedTools) {
  const queries: RecordQuery[] = [];
  const adapter = {
    readingTools: new Set(['Read']),
    recordedTools: async (query: RecordQuery) => {
      queries.push(query);
      return found;
    },
  };
  const runtime = { agents: { find: () => adapter } } as never;
  return { queries, parts: { runtime, outputs: new TurnOutputs(await directoryWith({})) } };
}

const question = { id: 'prm_1', tool: 'Bash', input: {}, options: ['allow', 'deny'], at: 1 } as const;

describe('a message whose gateway dies again and again', () => {
  it('runs again each time, without using up its retries', async () => {
    const { look, claim, restart } = await setUp();
    for (let crash = 0; crash < maxCrashes; crash += 1) {
      await claim();
      await restart();
      expect(await look()).toMatchObject({ state: 'queued', attempts: 0, crashes: crash + 1 });
    }
    await claim();
    expect(await look()).toMatchObject({ state: 'running', attempts: 1 });
  });

  it('ends as failed when it happened so often that the message itself must be the cause', async () => {
    const { store, look, claim, restart } = await setUp();
    for (let crash = 0; crash <= maxCrashes; crash += 1) {
      await claim();
      await restart();
    }
    expect(await look()).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    const said = (await store.messages('a', { limit: 9 })).at(-1)?.text;
    expect(said).toMatch(/That happened 21 times.*\n.*\/retry/);
  });

  it('is not counted while somebody is asked for permission: not before the question comes again, either', async () => {
    const { store, look, claim, restart } = await setUp();
    await store.askPermission(await claim(), question);
    for (let crash = 0; crash < 3 * maxCrashes; crash += 1) {
      await restart();
      expect(await look()).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
      expect(await store.pendingPermissions()).toMatchObject([{ id: 'prm_1' }]);
      const lease = await claim();
      if (crash % 2 === 0) await store.askPermission(lease, { ...question, id: `prm_${crash + 2}` });
    }
  });
});

describe('a turn that is stopped while it is recovered', () => {
  it('ends as cancelled, whatever was known when it was taken over', async () => {
    const { store, claim } = await setUp();
    await claim();
    const [turn] = await store.takeOver({ worker: 'next', now: 10, leaseUntil: 20, all: true });
    if (turn === undefined) throw new Error('Nothing was taken over.');
    const command = { channel: 'a', source: 'http', kind: 'command', text: '/stop', at: 11 } as const;
    const settled = { at: 11, state: 'answered', messages: [] } as const;
    await store.accept(command, {
      maxWaiting: 9,
      settled,
      stops: { turnId: turn.lease.turnId, by: '/stop' },
    });
    const settlement = await recoverTurn(turn, { store, now: () => 12, ...nothingElse });
    expect(settlement).toMatchObject({
      type: 'finish',
      outcome: { state: 'cancelled', error: { message: 'Stopped by /stop' } },
    });
  });
});

describe('a turn of which the journal has no tool', () => {
  const tool = {
    id: 't1',
    name: 'Bash',
    input: { command: 'make' },
    hasEnded: false,
    denied: false,
    isError: false,
  };

  it('is not repeated if the agent’s own record has one, and the channel is told which', async () => {
    const { store, look, claim, restart } = await setUp();
    await store.journal(await claim(), { type: 'began', ...setup, resumed: 's1' });
    const { parts, queries } = await recordSays({ type: 'tools', tools: [tool] });
    await restart(parts);
    expect(await look()).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await store.messages('a', { limit: 9 })).at(-1)?.text).toMatch(
      /tools had begun:\n- Bash .*make.*\(begun, end unknown\)\n.*\/retry/,
    );
    expect(queries).toMatchObject([{ sessionId: 's1', since: 10, prompt: 'hello', clockSetBack: false }]);
  });

  it('is not repeated if the record can’t be read, and the channel is told why', async () => {
    const { store, look, claim, restart } = await setUp();
    await store.journal(await claim(), { type: 'began', ...setup });
    await restart((await recordSays({ type: 'unknown', reason: 'it is damaged' })).parts);
    expect(await look()).toMatchObject({ state: 'failed' });
    expect((await store.messages('a', { limit: 9 })).at(-1)?.text).toMatch(
      /tools may have begun: it is damaged\.\n.*\/retry/,
    );
  });

  it('runs again if the record has none, and if the agent was not asked', async () => {
    const { store, look, claim, restart } = await setUp();
    await store.journal(await claim(), { type: 'began', ...setup });
    await restart((await recordSays({ type: 'tools', tools: [{ ...tool, denied: true }] })).parts);
    expect(await look()).toMatchObject({ state: 'queued', crashes: 1 });
    await claim();
    const { parts, queries } = await recordSays({ type: 'tools', tools: [tool] });
    await restart(parts);
    expect(await look()).toMatchObject({ state: 'queued', crashes: 2 });
    expect(queries).toEqual([]);
  });

  it('runs again if its only tool was denied, though the agent had not heard that yet', async () => {
    const { store, look, claim, restart } = await setUp();
    const lease = await claim();
    await store.journal(lease, { type: 'began', ...setup });
    await store.journal(lease, { type: 'tool_started', id: 't1', name: 'Bash', input: {}, at: 1 });
    await store.askPermission(lease, question);
    await store.decidePermission('prm_1', { decision: 'deny', at: 2 });
    await restart((await recordSays({ type: 'tools', tools: [{ ...tool, input: {} }] })).parts);
    expect(await look()).toMatchObject({ state: 'queued' });
  });
});

describe('a turn that waits for a permission when its gateway dies', () => {
  const recorded = { id: 't1', name: 'Read', input: {}, hasEnded: true, denied: false, isError: false };
  const waiting = { ...recorded, id: 't2', name: 'Bash', hasEnded: false };
  const command = { ...recorded, id: 't3', name: 'Bash', input: { command: 'make' } };

  async function die(tools: readonly string[], record: RecordedTools, asks = true) {
    const { store, look, claim, restart } = await setUp();
    const lease = await claim();
    await store.journal(lease, { type: 'began', ...setup });
    for (const [nth, name] of tools.entries())
      await store.journal(lease, { type: 'tool_started', id: `t${nth + 1}`, name, input: {}, at: 1 });
    if (asks) await store.askPermission(lease, question);
    await restart((await recordSays(record)).parts);
    return (await look()).state;
  }

  it('runs again if it has only read before (16.5)', async () => {
    expect(await die(['Read', 'Bash'], { type: 'tools', tools: [recorded, waiting] })).toBe('queued');
  });

  it('does not run again if it may have done something else, by the journal or by the record', async () => {
    const record: RecordedTools = { type: 'tools', tools: [recorded, waiting] };
    expect(await die(['Write', 'Bash'], record)).toBe('failed');
    expect(await die(['Read', 'Bash'], { type: 'tools', tools: [recorded, command, waiting] })).toBe(
      'failed',
    );
    expect(await die([...Array(49).fill('Read'), 'Bash'], record)).toBe('failed');
    expect(await die(['Read'], record, false)).toBe('failed');
  });
});
