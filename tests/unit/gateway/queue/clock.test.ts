import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { EventQueue, type QueueOptions } from '../../../../src/gateway/queue/event-queue.js';
import type { Settlement } from '../../../../src/gateway/turns/verdicts.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../src/store/store.js';
import { directoryWith } from '../temporary-directory.js';

const day = 86_400_000;
/** The shortest: a beat every 250 ms. */
const leaseMs = 750;
const soon = { timeout: 10_000 };

/** A queue whose clock can be set. */
async function stage(run: QueueOptions['handler']['run']) {
  const clock = { now: Date.now() };
  const store = await openSqliteStore(join(await directoryWith(), 'turnout.db'));
  const taken = { times: 0 };
  const counted: Store = {
    ...store,
    takeOver: async (request) => {
      taken.times += 1;
      return store.takeOver(request);
    },
  };
  const queue = new EventQueue({
    ...{ store: counted, worker: 'this one', maxConcurrentTurns: 2, maxQueueDepth: 10, leaseMs },
    handler: { run, recover: async () => expect.unreachable() },
    longestWaitMs: 60_000,
    stopTimeoutMs: 300,
    log: noLog,
    now: () => clock.now,
  });
  onTestFinished(async () => {
    await queue.drain(0);
    await store.close();
  });
  await queue.start();
  const at = clock.now;
  const { event } = await queue.accept({ channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at });
  const state = async () => (await store.event(event.id))?.state;
  return { clock, store, queue, event, state, taken };
}

const answered = (at: number): Settlement => ({
  type: 'finish',
  outcome: { at, state: 'answered', responseText: 'done', messages: [], events: [] },
});

it('a retry waits no longer than it may, however far the clock is set back [fault 13.4: the clock is set back a day, retries]', async () => {
  const began = Date.now();
  const error = { code: 'overloaded', message: 'busy' } as const;
  const { clock, state, event, store } = await stage(async ({ event: { attempts } }) =>
    attempts === 1
      ? { type: 'postpone', retry: { at: began, notBefore: began + 20_000, error, events: [] } }
      : answered(began),
  );
  await expect.poll(state, soon).toBe('queued');
  clock.now -= day;
  await expect.poll(state, soon).toBe('answered');
  expect((await store.event(event.id))?.attempts).toBe(2);
});

it('a turn that runs is not taken over by its own gateway, wherever the clock goes [fault 13.4: the clock is set forward a day, leases]', async () => {
  let end = () => {};
  let runs = 0;
  const { clock, state, taken } = await stage(async () => {
    runs += 1;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return answered(1);
  });
  await expect.poll(() => runs).toBe(1);
  for (const step of [day, -2 * day]) {
    clock.now += step;
    const before = taken.times;
    await expect.poll(() => taken.times, soon).toBeGreaterThan(before + 1);
  }
  end();
  await expect.poll(state, soon).toBe('answered');
  expect(runs).toBe(1);
});
