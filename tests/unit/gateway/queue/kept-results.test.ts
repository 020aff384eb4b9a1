import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { EventQueue } from '../../../../src/gateway/queue/event-queue.js';
import { StoreHealth } from '../../../../src/gateway/store-health.js';
import type { Settlement } from '../../../../src/gateway/turns/verdicts.js';
import { toStoreError } from '../../../../src/store/sqlite/sqlite-errors.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../src/store/store.js';
import { directoryWith } from '../temporary-directory.js';

const answered: Settlement = {
  type: 'finish',
  outcome: { at: 1, state: 'answered', responseText: 'done', messages: [], events: [] },
};
const prompt = { channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at: 1 } as const;

/** SQLite's codes: I/O error while writing, damaged, no database, read-only, out of memory, can't open. */
const deviceFaults = { io: 778, corrupt: 11, notADatabase: 26, readOnly: 8, memory: 7, cantOpen: 14 };

interface Stage {
  readonly store: Store;
  readonly queue: EventQueue;
  readonly health: StoreHealth;
  /** From now on every write fails with this code of SQLite's; undefined ends that. */
  fail(code: number | undefined): void;
  /** The attempts to write a result that have failed. */
  readonly pauses: number[];
}

async function stage(): Promise<Stage> {
  const store = await openSqliteStore(join(await directoryWith(), 'turnout.db'));
  let code: number | undefined;
  const failing = <T extends (...given: never[]) => Promise<unknown>>(method: T) =>
    ((...given) =>
      code === undefined
        ? method(...given)
        : Promise.reject(
            toStoreError(Object.assign(new Error('it says'), { errcode: code }), 'the file'),
          )) as T;
  const { accept, finish, postpone, journal, probe, heartbeat } = store;
  const written = { accept, finish, postpone, journal, probe, heartbeat };
  const broken = Object.fromEntries(Object.entries(written).map(([name, method]) => [name, failing(method)]));
  const health = new StoreHealth({ store: { ...store, ...broken } as Store, log: noLog, probeMs: 5 });
  const pauses: number[] = [];
  const queue = new EventQueue({
    store: health.store,
    handler: { run: async () => answered, recover: async () => answered },
    worker: 'this one',
    maxConcurrentTurns: 2,
    maxQueueDepth: 10,
    leaseMs: 60_000,
    stopTimeoutMs: 300,
    log: noLog,
    pause: async (ms) => {
      pauses.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  onTestFinished(async () => {
    code = undefined;
    await queue.drain(0);
    health.stop();
    await store.close();
  });
  await queue.start();
  const fail = (given: number | undefined) => {
    code = given;
  };
  return { store, queue, health, fail, pauses };
}

describe('the result of a turn', () => {
  it.each(Object.entries(deviceFaults))(
    'is kept until it is written, however long that takes: %s [fault 13.4: EIO for minutes]',
    async (_name, code) => {
      const { store, queue, health, fail, pauses } = await stage();
      const { event } = await queue.accept(prompt);
      fail(code);
      // With the pauses as they are, so many attempts take more than four minutes.
      await expect.poll(() => pauses.length).toBeGreaterThan(60);
      expect(Math.max(...pauses)).toBe(5000);
      expect(queue.unwritten).toBe(1);
      expect(health.problem).toMatch(/^The /);
      await expect(queue.accept(prompt)).rejects.toThrow();
      fail(undefined);
      await expect.poll(async () => (await store.event(event.id))?.state).toBe('answered');
      expect(await store.event(event.id)).toMatchObject({ responseText: 'done', attempts: 1 });
      await expect.poll(() => health.problem).toBe(undefined);
      expect(queue.unwritten).toBe(0);
    },
  );

  it('that the store refuses for itself gives way to a notice, and its channel goes on', async () => {
    const { store, queue, pauses } = await stage();
    const finish = store.finish.bind(store);
    const refusing = new EventQueue({
      store: {
        ...store,
        finish: (lease, outcome) =>
          outcome.state === 'answered'
            ? Promise.reject(toStoreError(Object.assign(new Error('too big'), { errcode: 18 }), 'the file'))
            : finish(lease, outcome),
      },
      handler: { run: async () => answered, recover: async () => answered },
      worker: 'another',
      ...{ maxConcurrentTurns: 2, maxQueueDepth: 10, leaseMs: 60_000, log: noLog },
      pause: async (ms) => void pauses.push(ms),
    });
    await queue.drain(0);
    await refusing.start();
    const { event } = await refusing.accept(prompt);
    await expect.poll(async () => (await store.event(event.id))?.state).toBe('failed');
    await refusing.drain(0);
  });
});

describe('what /readyz knows of the store', () => {
  it('a call that wrote nothing does not make a failing store sound; a probe that writes does [fault 13.4: EIO while idle]', async () => {
    const { store, queue, health, fail } = await stage();
    fail(deviceFaults.io);
    await expect(queue.accept(prompt)).rejects.toThrow();
    // Nothing waits: the claim succeeds, and has written nothing.
    const now = Date.now();
    expect(await health.store.claim({ worker: 'w', now, leaseUntil: now + 1, limit: 1 })).toEqual([]);
    expect(await health.store.counts()).toBeDefined();
    expect(health.problem).toMatch(/fails/);
    expect(health.problem).not.toContain('the file');
    fail(undefined);
    await expect.poll(() => health.problem).toBe(undefined);
    expect((await store.counts()).events.queued).toBe(0);
  });
});
