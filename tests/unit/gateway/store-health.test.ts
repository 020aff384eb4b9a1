import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventQueue } from '../../../src/gateway/queue/event-queue.js';
import { StoreHealth } from '../../../src/gateway/store-health.js';
import type { Settlement } from '../../../src/gateway/turns/verdicts.js';
import { Ballast } from '../../../src/store/ballast.js';
import { StoreError } from '../../../src/store/errors.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { logLines } from './log-lines.js';
import { directoryWith } from './temporary-directory.js';

const prompt = { channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at: 1 } as const;
const answered: Settlement = {
  type: 'finish',
  outcome: { at: 1, state: 'answered', responseText: 'done', messages: [], events: [] },
};

/** A store whose ballast has been given up, with a message that waits. */
async function setUp() {
  const directory = await directoryWith();
  const ballast = await Ballast.open({ directory, bytes: 64 * 1024 });
  let room = false;
  const limited = Object.create(ballast, {
    released: { get: () => ballast.released },
    restore: { value: async () => room && ballast.restore() },
  }) as Ballast;
  const opened = await openSqliteStore(join(directory, 'turnout.db'), { ballast: limited });
  const { id } = (await opened.accept(prompt, { maxWaiting: 9 })).event;
  await ballast.restore();
  ballast.release();
  let finishFails = false;
  const counts = { claims: 0, probes: 0 };
  const store: Store = {
    ...opened,
    claim: (request) => {
      counts.claims += 1;
      return opened.claim(request);
    },
    probe: () => {
      counts.probes += 1;
      return opened.probe();
    },
    finish: (...given) =>
      finishFails ? Promise.reject(new StoreError('full', 'no room')) : opened.finish(...given),
  };
  const { log, lines } = logLines();
  const health = new StoreHealth({ store, log, probeMs: 1 });
  const queue = new EventQueue({
    store: health.store,
    handler: { run: async () => answered, recover: async () => answered },
    worker: 'this one',
    ...{ maxConcurrentTurns: 2, maxQueueDepth: 10, leaseMs: 60_000, stopTimeoutMs: 300, log },
  });
  onTestFinished(async () => {
    await queue.drain(0);
    health.stop();
    await opened.close();
  });
  return {
    ...{ store, health, queue, counts, lines, id },
    walSize: () => statSync(join(directory, 'turnout.db-wal')).size,
    makeRoom: () => {
      room = true;
    },
    failResults: (fails: boolean) => {
      finishFails = fails;
    },
  };
}

describe('a store whose ballast is given up', () => {
  it('is not probed because it refuses new work, and that is logged once [fault 13.3: a disk full for hours]', async () => {
    const { store, health, queue, counts, lines, id, walSize, makeRoom } = await setUp();
    await queue.start();
    await expect.poll(() => counts.claims).toBeGreaterThan(0);
    const size = walSize();
    const wakeUntil = async (claims: number) => {
      while (counts.claims < claims) {
        queue.wake();
        await sleep(2);
      }
    };
    await wakeUntil(30);
    expect(walSize()).toBe(size);
    expect(health.problem).toBe(undefined);
    expect(lines).toMatchObject([{ level: 'error', message: 'the queue could not be read' }]);
    makeRoom();
    queue.wake();
    await expect.poll(async () => (await store.event(id))?.state).toBe('answered');
    expect(lines[1]).toMatchObject({ level: 'info', message: 'the queue can be read again' });
  });

  it('that fails besides is probed without a write until the ballast is back', async () => {
    const { health, counts, lines, walSize, makeRoom, failResults } = await setUp();
    failResults(true);
    await expect(health.store.finish(undefined as never, undefined as never)).rejects.toThrow('no room');
    expect(health.problem).toMatch(/full/);
    const size = walSize();
    await expect.poll(() => counts.probes).toBeGreaterThan(20);
    expect([walSize(), health.problem === undefined]).toEqual([size, false]);
    makeRoom();
    await expect.poll(() => health.problem).toBe(undefined);
    expect(lines).toHaveLength(2);
  });
});
