import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../src/config/log.js';
import { EventQueue, type QueueOptions } from '../../../src/gateway/queue/event-queue.js';
import type { Settlement } from '../../../src/gateway/turns/verdicts.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { eventually } from '../stage.js';

async function openStore(): Promise<Store> {
  const root = mkdtempSync(join(tmpdir(), 'turnout-queue-'));
  const store = await openSqliteStore(join(root, 'turnout.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  return store;
}

function queueOver(store: Store, handler: Partial<QueueOptions['handler']>, worker = 'worker'): EventQueue {
  return new EventQueue({
    store,
    handler: {
      run: async () => answer('done'),
      recover: async () => postpone(0),
      ...handler,
    },
    worker,
    maxConcurrentTurns: 4,
    maxQueueDepth: 100,
    leaseMs: 60_000,
    stopTimeoutMs: 300,
    log: noLog,
  });
}

function answer(text: string): Settlement {
  const messages = [{ role: 'assistant', text }] as const;
  return {
    type: 'finish',
    outcome: { at: Date.now(), state: 'answered', responseText: text, messages, events: [] },
  };
}

function cancelled(): Settlement {
  return { type: 'finish', outcome: { at: Date.now(), state: 'cancelled', messages: [], events: [] } };
}

function postpone(notBefore: number): Settlement {
  const error = { code: 'crashed', message: 'crashed' } as const;
  return { type: 'postpone', retry: { at: Date.now(), notBefore, error, events: [] } };
}

function prompt(text: string, channel = 'a') {
  return { channel, source: 'http', kind: 'prompt', text, at: Date.now() } as const;
}

describe('the queue', () => {
  it('a turn that is being claimed when the drain begins is drained too', async () => {
    const store = await openStore();
    let claimed = () => {};
    const claiming = new Promise<void>((resolve) => {
      claimed = resolve;
    });
    const slow: Store = {
      ...store,
      claim: async (request) => {
        const claims = await store.claim(request);
        if (claims.length > 0) claimed();
        await sleep(200);
        return claims;
      },
    };
    let ended = 0;
    const queue = queueOver(slow, {
      run: async () => {
        await sleep(300);
        ended += 1;
        return answer('done');
      },
    });
    await queue.start();
    const { event } = await queue.accept(prompt('hello'));
    await claiming;
    await queue.drain(5000);
    expect(ended).toBe(1);
    expect((await store.event(event.id))?.state).toBe('answered');
  });

  it('a turn that begins before the last one of its channel is cleared away is not lost sight of', async () => {
    const store = await openStore();
    const ended: string[] = [];
    const queue = queueOver(store, {
      run: async ({ event }) => {
        if (event.text === 'second') await sleep(600);
        ended.push(event.text);
        return answer(event.text);
      },
      settled: () => sleep(200),
    });
    await queue.start();
    const first = await queue.accept(prompt('first'));
    const second = await queue.accept(prompt('second'));
    await eventually(async () => (await store.event(first.event.id))?.state === 'answered');
    queue.wake();
    await eventually(async () => (await store.event(second.event.id))?.state === 'running');
    await sleep(300);
    expect(queue.isRunning('a')).toBe(true);
    await queue.drain(5000);
    expect(ended).toEqual(['first', 'second']);
  });

  it('does not say that it stopped a turn which was answered all the same', async () => {
    const store = await openStore();
    const queue = queueOver(store, {
      run: async (_claim, signal) => {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return answer('it was done already');
      },
    });
    await queue.start();
    await queue.accept(prompt('hello'));
    await eventually(() => queue.isRunning('a'));
    expect(await queue.stop('a', { type: 'stopped', by: '/stop' })).toBe(false);
    await queue.drain(0);
  });

  it('stops only the turn that is meant, or the retry behind it (16.1)', async () => {
    const store = await openStore();
    const ended: string[] = [];
    const queue = queueOver(store, {
      run: async ({ event }, signal) => {
        if (event.text === 'fails') return postpone(Date.now() + 60_000);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended.push(event.text);
        return cancelled();
      },
    });
    const stop = (turnId?: string) => queue.stop('a', { type: 'stopped', by: 'an interrupt' }, { turnId });
    await queue.start();
    const failing = await queue.accept(prompt('fails'));
    const next = await queue.accept(prompt('next'));
    await eventually(async () => (await store.waiting('a', 1))[0]?.notBefore !== undefined);
    const [attempt] = await store.turns(failing.event.id);
    expect(await stop('trn_other')).toBe(false);
    expect(await stop(attempt?.id)).toBe(true);
    expect((await store.event(failing.event.id))?.state).toBe('cancelled');

    await eventually(async () => (await store.event(next.event.id))?.state === 'running');
    expect(await stop(attempt?.id)).toBe(false);
    expect(ended).toEqual([]);
    const [turn] = await store.running('a');
    expect(await stop(turn?.id)).toBe(true);
    expect(ended).toEqual(['next']);
    await queue.drain(0);
  });

  it('a turn that can’t be recovered does not keep the gateway from starting', async () => {
    const store = await openStore();
    const { event } = await store.accept(prompt('hello'), { maxWaiting: 10 });
    await store.claim({ worker: 'dead', now: Date.now(), leaseUntil: Date.now(), limit: 1 });
    const queue = queueOver(store, {
      recover: async () => {
        throw new Error('its output can’t be read');
      },
    });
    await queue.start();
    await eventually(async () => (await store.event(event.id))?.state === 'failed');
    await queue.drain(0);
  });

  it('a turn that does not end can’t keep the gateway from stopping', async () => {
    const store = await openStore();
    const queue = queueOver(store, { run: () => new Promise(() => {}) });
    await queue.start();
    await queue.accept(prompt('hello'));
    await eventually(() => queue.isRunning('a'));
    await queue.drain(0);
    expect(queue.size).toBe(1);
  });
});
