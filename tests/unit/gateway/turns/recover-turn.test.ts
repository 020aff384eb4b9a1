import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recoverTurn } from '../../../../src/gateway/turns/recover-turn.js';
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
  return { store, look, claim: () => claim(store), restart: () => restart(store) };
}

async function claim(store: Store): Promise<Lease> {
  const [claimed] = await store.claim({ worker: 'dead', now: 10, leaseUntil: 20, limit: 1 });
  if (claimed === undefined) throw new Error('Nothing waits.');
  return claimed.lease;
}

async function restart(store: Store): Promise<void> {
  const parts = { store, now: () => 10, runtime: undefined as never, outputs: undefined as never };
  const abandoned = await store.takeOver({ worker: 'next', now: 10, leaseUntil: 20, all: true });
  for (const turn of abandoned) {
    const settlement = await recoverTurn(turn, parts);
    if (settlement.type === 'finish') await store.finish(turn.lease, settlement.outcome);
    else await store.postpone(turn.lease, settlement.retry);
  }
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
