import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../src/config/log.js';
import { EventQueue, type QueueOptions } from '../../../src/gateway/queue/event-queue.js';
import type { Settlement } from '../../../src/gateway/turns/verdicts.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { eventually, setUpGateway } from '../stage.js';
import { why } from '../turns/why.js';

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
      recover: async () => ({
        type: 'postpone',
        retry: { at: Date.now(), notBefore: 0, error: { code: 'crashed', message: 'crashed' }, events: [] },
      }),
      ...handler,
    },
    worker,
    maxConcurrentTurns: 4,
    maxQueueDepth: 100,
    leaseMs: 60_000,
    patienceMs: 300,
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
    expect((await store.event(event.id))?.state).toBe('failed');
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

describe('what was found in review', () => {
  it('interrupt: a message that is refused ends no turn', async () => {
    const stage = setUpGateway({ QUEUE_MODE: 'interrupt', MAX_QUEUE_DEPTH: '1', MAX_CONCURRENT_TURNS: '1' });
    const client = await stage.start();
    const running = await client.post('a', 'wait 3 seconds');
    await client.until(running, 'running');
    await client.post('b', 'hello');
    expect((await client.postFully('a', 'one too many')).state).toBe('refused');
    expect((await client.ended(running)).state).toBe('answered');
  });

  it('a live CLI that hangs while it starts can be interrupted', async () => {
    const stage = setUpGateway({ BACKEND_LIVE: '1' });
    const cli = join(stage.root, 'hanging.sh');
    writeFileSync(cli, '#!/bin/sh\ntouch started; sleep 8; touch ended\n', { mode: 0o755 });
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    const event = await client.post('a', 'hello');
    await eventually(() => existsSync(join(stage.work, 'started')));
    expect(await client.interrupt('a')).toBe(true);
    expect((await client.event(event)).state).toBe('cancelled');
    expect(existsSync(join(stage.work, 'ended'))).toBe(false);
  });

  it('/retry: the message is not told twice', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'say exactly: before');
    await client.ask('a', 'fail with 401');
    rmSync(join(stage.home, 'demo-agent'), { recursive: true });
    const { eventId } = await client.ask('a', '/retry');
    const [turn] = await why(stage, eventId);
    expect(turn?.setup?.prompt.seededMessages).toBe(2);
  });

  it('what a turn printed is kept until its result is on disk', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const kept = () => readdirSync(join(stage.home, 'turns'));
    const seen: number[] = [];
    stage.onPoint((point) => {
      if (point === 'finishing') seen.push(kept().length);
    });
    await client.ask('a', 'hello');
    expect(seen).toEqual([1]);
    await eventually(() => kept().length === 0);
  });
});
