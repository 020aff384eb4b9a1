import { join } from 'node:path';
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { EventQueue, type QueueOptions } from '../../../../src/gateway/queue/event-queue.js';
import type { Settlement } from '../../../../src/gateway/turns/verdicts.js';
import { StoreError } from '../../../../src/store/errors.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../src/store/store.js';
import { directoryWith } from '../temporary-directory.js';

/** The shortest: a beat every 250 ms. */
const leaseMs = 750;

async function openStore(): Promise<Store> {
  const store = await openSqliteStore(join(await directoryWith(), 'turnout.db'));
  onTestFinished(() => store.close());
  return store;
}

function queueOver(
  store: Store,
  handler: Partial<QueueOptions['handler']>,
  pause?: QueueOptions['pause'],
): EventQueue {
  const queue = new EventQueue({
    store,
    handler: { run: async () => answered, recover: async () => again, ...handler },
    worker: 'this one',
    maxConcurrentTurns: 2,
    maxQueueDepth: 10,
    leaseMs,
    stopTimeoutMs: 300,
    log: noLog,
    ...(pause === undefined ? {} : { pause }),
  });
  onTestFinished(() => queue.drain(0));
  return queue;
}

const answered: Settlement = {
  type: 'finish',
  outcome: { at: 1, state: 'answered', responseText: 'done', messages: [], events: [] },
};
const again: Settlement = {
  type: 'postpone',
  retry: { at: 1, notBefore: 0, error: { code: 'crashed', message: 'crashed' }, events: [] },
};
const prompt = { channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at: 1 } as const;

function takeOver(store: Store, all: boolean) {
  const now = Date.now();
  return store.takeOver({ worker: 'another', now, leaseUntil: now + 60_000, all });
}

describe('a lease', () => {
  it('is prolonged as long as its turn runs', async () => {
    const store = await openStore();
    const queue = queueOver(store, { run: () => sleep(3 * leaseMs, answered) });
    await queue.start();
    const { event } = await queue.accept(prompt);
    await expect.poll(() => queue.isRunning('a')).toBe(true);
    await sleep(2 * leaseMs);
    expect(await takeOver(store, false)).toEqual([]);
    await expect.poll(async () => (await store.event(event.id))?.state).toBe('answered');
  });

  it('that another has taken ends the turn here, and what it came to is dropped', async () => {
    const store = await openStore();
    const reasons: unknown[] = [];
    const settled: string[] = [];
    const queue = queueOver(store, {
      run: async (_claim, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(signal.reason);
        return answered;
      },
      settled: async ({ turnId }) => void settled.push(turnId),
    });
    await queue.start();
    const { event } = await queue.accept(prompt);
    await expect.poll(() => queue.isRunning('a')).toBe(true);
    expect(await takeOver(store, true)).toHaveLength(1);
    await expect.poll(() => queue.isRunning('a')).toBe(false);
    expect(reasons).toEqual([{ type: 'lost_lease' }]);
    expect(settled).toEqual([]);
    expect((await store.event(event.id))?.state).toBe('running');
  });

  it('that ran out elsewhere is taken over while the queue works, and its message is run again', async () => {
    const store = await openStore();
    const queue = queueOver(store, {});
    await queue.start();
    // In one go, so that the queue does not claim it first.
    const [{ event }] = await Promise.all([
      store.accept(prompt, { maxWaiting: 10 }),
      store.claim({ worker: 'dead', now: Date.now(), leaseUntil: Date.now() - 1, limit: 1 }),
    ]);
    await expect.poll(async () => (await store.event(event.id))?.state).toBe('answered');
    expect(await store.turns(event.id)).toMatchObject([{ state: 'postponed' }, { state: 'answered' }]);
  });

  it('is kept while the disk takes no result, and left to the next start by a drain that has waited', async () => {
    const store = await openStore();
    const full: Store = {
      ...store,
      finish: () => Promise.reject(new StoreError('full', 'The disk is full.')),
    };
    const queue = queueOver(full, {});
    await queue.start();
    const { event } = await queue.accept(prompt);
    await expect.poll(() => queue.unwritten).toBe(1);
    await sleep(2 * leaseMs);
    expect(queue.isRunning('a')).toBe(true);
    expect(await takeOver(store, false)).toEqual([]);
    await queue.drain(0);
    expect(queue.size).toBe(0);
    expect((await store.event(event.id))?.state).toBe('running');
  });
});

/** A message that a dead gateway was working on. */
async function abandon(store: Store, channel = 'a'): Promise<string> {
  const { event } = await store.accept({ ...prompt, channel }, { maxWaiting: 10 });
  await store.claim({ worker: 'dead', now: 1, leaseUntil: 1, limit: 1 });
  return event.id;
}

async function stateOf(store: Store, id: string): Promise<string | undefined> {
  return (await store.event(id))?.state;
}

describe('a turn of a gateway that is gone', () => {
  it('is recovered beside the work: only its own channel waits [fault 13.2: 200 MiB of output to read at the start]', async () => {
    const store = await openStore();
    const abandoned = await abandon(store);
    let recover = (_: Settlement) => {};
    const queue = queueOver(store, {
      recover: () => new Promise<Settlement>((resolve) => (recover = resolve)),
    });
    await queue.start();
    const behind = await queue.accept(prompt);
    const elsewhere = await queue.accept({ ...prompt, channel: 'b' });
    await expect.poll(() => stateOf(store, elsewhere.event.id)).toBe('answered');
    // The lease is prolonged as long as that takes.
    await sleep(2 * leaseMs);
    expect(await takeOver(store, false)).toEqual([]);
    expect(await stateOf(store, abandoned)).toBe('running');
    expect(await stateOf(store, behind.event.id)).toBe('queued');
    recover(answered);
    await expect.poll(() => stateOf(store, behind.event.id)).toBe('answered');
    expect(await stateOf(store, abandoned)).toBe('answered');
  });

  it('that can’t be recovered ends as failed, and the channel is told [fault 13.1: a turn that can’t be recovered]', async () => {
    const store = await openStore();
    const abandoned = await abandon(store);
    const queue = queueOver(store, { recover: () => Promise.reject(new Error('its output is odd')) });
    await queue.start();
    await expect.poll(() => stateOf(store, abandoned)).toBe('failed');
    const told = (await store.messages('a', { limit: 9 })).at(-1)?.text;
    expect(told).toMatch(/its output is odd[\s\S]*not repeated by itself[\s\S]*\/retry/);
  });

  it('is tried again as long as the store can’t tell what it did [fault 13.3: recovery on a full disk]', async () => {
    const store = await openStore();
    const abandoned = await abandon(store);
    let attempts = 0;
    const queue = queueOver(store, {
      recover: async () => {
        attempts += 1;
        if (attempts < 3) throw new StoreError('full', 'The disk is full.');
        return answered;
      },
    });
    await queue.start();
    await expect.poll(() => stateOf(store, abandoned)).toBe('answered');
  });

  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])(
    'is tried again while the machine has no means to read what it did, but not for ever: %s [fault 13.4: a shortage during recovery]',
    async (code) => {
      const store = await openStore();
      const passing = await abandon(store);
      const lasting = await abandon(store, 'b');
      const shortage = Object.assign(new Error(`${code}: open`), { code });
      const pauses: number[] = [];
      let attempts = 0;
      const queue = queueOver(
        store,
        {
          recover: async ({ lease }) => {
            if (lease.channel === 'a') attempts += 1;
            if (lease.channel === 'b' || attempts < 10) throw shortage;
            return answered;
          },
        },
        async (ms) => {
          pauses.push(ms);
          await nextLoop();
        },
      );
      await queue.start();
      await expect.poll(() => stateOf(store, passing)).toBe('answered');
      await expect.poll(() => stateOf(store, lasting)).toBe('failed');
      expect(Math.max(...pauses)).toBe(5000);
    },
  );

  it('is left to the next start by a drain that comes first', async () => {
    const store = await openStore();
    const abandoned = await abandon(store);
    const queue = queueOver(store, {
      recover: (_turn, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
    });
    await queue.start();
    await queue.drain(0);
    expect(await stateOf(store, abandoned)).toBe('running');
  });

  it('is taken over later where the disk is full at the start [fault 13.3: restart on a full disk]', async () => {
    const store = await openStore();
    const abandoned = await abandon(store);
    let attempts = 0;
    const full: Store = {
      ...store,
      takeOver: async (request) => {
        attempts += 1;
        if (attempts < 3) throw new StoreError('full', 'The disk is full.');
        return store.takeOver(request);
      },
    };
    const queue = queueOver(full, { recover: async () => answered });
    await queue.start();
    await expect.poll(() => stateOf(store, abandoned)).toBe('answered');
  });
});
