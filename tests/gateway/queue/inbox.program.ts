import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import type { RunOptions, RunRequest } from '../../../src/backends/types.js';
import { noLog } from '../../../src/config/log.js';
import { type ChatEvent, interruptedEvent } from '../../../src/core/chat-event.js';
import { failureEvent, TurnoutError } from '../../../src/core/errors.js';
import { buildParts, type GatewayParts } from '../../../src/gateway/build-parts.js';
import { backendConfig, loadConfig } from '../../../src/gateway/config.js';
import { HookManager } from '../../../src/gateway/hooks/hook-manager.js';
import { StoreError } from '../../../src/store/errors.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { eventually } from '../stage.js';

/** The error of a spawn without a file descriptor, as `startProcess` explains it. */
const noDescriptor = failureEvent(
  new TurnoutError('crashed', 'No file descriptor was left to start claude.', {
    cause: Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }),
  }),
);

/** Works on a prompt that begins with "wait" until it is interrupted, and answers any other at once. */
class Scripted extends ClaudeCodeBackend {
  readonly asked: string[] = [];
  /** A CLI takes its time to stop: until this resolves. */
  stopped: Promise<unknown> = Promise.resolve();

  override async *run({ prompt }: RunRequest, { signal }: RunOptions = {}): AsyncGenerator<ChatEvent> {
    this.asked.push(prompt);
    if (prompt === 'no descriptor' && this.asked.length === 1) {
      yield noDescriptor;
      return;
    }
    if (!prompt.startsWith('wait')) {
      yield { type: 'complete', text: `done: ${prompt}`, sessionId: 's', stopReason: 'end_turn' };
      return;
    }
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    await this.stopped;
    yield interruptedEvent;
  }
}

interface Stage extends GatewayParts {
  readonly store: Store;
  readonly backend: Scripted;
  /** The texts of messages that the store can't accept: the fault of a disk that fails between two writes. */
  readonly unacceptable: Set<string>;
  /** The states of turns that the store can't write. */
  readonly unwritable: Set<string>;
  say(text: string, messageId?: string): Promise<string>;
  stateOf(id: string): Promise<string | undefined>;
}

async function stage(
  settings: Record<string, string> = {},
  given?: string,
  mayRecover: Promise<unknown> = Promise.resolve(),
): Promise<Stage> {
  const root = given ?? mkdtempSync(join(tmpdir(), 'turnout-inbox-'));
  mkdirSync(join(root, 'work'), { recursive: true });
  const env = {
    TURNOUT_HOME: join(root, 'home'),
    CONFIG_DIR: join(root, 'config'),
    WORKING_DIR: join(root, 'work'),
    ...settings,
  };
  const config = loadConfig(env);
  const store = await openSqliteStore(join(root, 'home', 'turnout.db'));
  const unacceptable = new Set<string>();
  const unwritable = new Set<string>();
  const broken = () => Promise.reject(new StoreError('io', 'The disk failed.'));
  const failing: Store = {
    ...store,
    accept: (event, options) => (unacceptable.has(event.text) ? broken() : store.accept(event, options)),
    finish: (lease, outcome) => (unwritable.has(outcome.state) ? broken() : store.finish(lease, outcome)),
    postpone: (lease, retry) => (unwritable.has('postponed') ? broken() : store.postpone(lease, retry)),
    // Only a recovery asks for them.
    questions: (turnId) => mayRecover.then(() => store.questions(turnId)),
  };
  const backend = new Scripted(backendConfig(config, env));
  const parts = buildParts({
    ...{ config, env, backend, store: failing, log: noLog, httpToken: 'token', watch: () => undefined },
    hooks: await HookManager.load(config.configDir, noLog, env),
    ballast: { released: false, restore: async () => true },
  });
  onTestFinished(async () => {
    await parts.queue.drain(0);
    await parts.outbox.stop();
    await parts.archive.stop();
    await parts.agents.close();
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  await parts.queue.start();
  const say = async (text: string, messageId?: string) =>
    (await parts.inbox.receive({ channel: 'a', source: 'http', text, messageId })).event.id;
  const stateOf = async (id: string) => (await store.event(id))?.state;
  return { ...parts, store, backend, unacceptable, unwritable, say, stateOf };
}

describe('a command that does not wait in the queue', () => {
  it('/queue clear that is not accepted has dropped nothing, and sent again takes effect once [fault 13.11: /queue clear answered with 503]', async () => {
    const { say, stateOf, unacceptable, store } = await stage();
    await say('wait');
    const waiting = await say('first');
    unacceptable.add('/queue clear');
    await expect(say('/queue clear', 'key')).rejects.toThrow('The disk failed.');
    expect(await stateOf(waiting)).toBe('queued');
    unacceptable.clear();
    const command = await say('/queue clear', 'key');
    expect(await stateOf(waiting)).toBe('cancelled');
    expect((await store.event(command))?.responseText).toBe('Dropped: 1 message.');
    const later = await say('second');
    expect(await say('/queue clear', 'key')).toBe(command);
    expect(await stateOf(later)).toBe('queued');
  });

  it('two of the same key at the same time are one', async () => {
    const { say, store } = await stage();
    await say('wait');
    await say('first');
    const [one, two] = await Promise.all([say('/queue clear', 'key'), say('/queue clear', 'key')]);
    expect(one).toBe(two);
    expect((await store.event(one ?? ''))?.responseText).toBe('Dropped: 1 message.');
  });

  it('/stop that is not accepted has stopped nothing, and sent again stops once [fault 13.11: /stop answered with 503]', async () => {
    const { say, stateOf, unacceptable, queue, store } = await stage();
    const running = await say('wait');
    await eventually(() => queue.isRunning('a'));
    unacceptable.add('/stop');
    await expect(say('/stop', 'key')).rejects.toThrow('The disk failed.');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await stateOf(running)).toBe('running');
    unacceptable.clear();
    const command = await say('/stop', 'key');
    expect((await store.event(command))?.responseText).toBe('Stopped.');
    expect(await stateOf(running)).toBe('cancelled');
    const next = await say('wait again');
    await eventually(() => queue.isRunning('a'));
    expect(await say('/stop', 'key')).toBe(command);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await stateOf(next)).toBe('running');
  });

  it('/stop holds across a crash before its turn has ended: the turn is not run again [fault 13.11: kill -9 after /stop was accepted]', async () => {
    const root = mkdtempSync(join(tmpdir(), 'turnout-inbox-'));
    mkdirSync(join(root, 'home'));
    const dead = await openSqliteStore(join(root, 'home', 'turnout.db'));
    const event = { channel: 'a', source: 'http', kind: 'prompt', text: 'wait', at: 1 } as const;
    const { event: stopped } = await dead.accept(event, { maxWaiting: 9 });
    const [claim] = await dead.claim({ worker: 'dead', now: 1, leaseUntil: 2, limit: 1 });
    const stops = { turnId: claim?.lease.turnId ?? '', by: '/stop' };
    const settled = { at: 1, state: 'answered', responseText: 'Stopped.', messages: [] } as const;
    await dead.accept({ ...event, kind: 'command', text: '/stop' }, { maxWaiting: 9, settled, stops });
    await dead.close();
    const { backend, stateOf, say } = await stage({}, root);
    await eventually(async () => (await stateOf(stopped.id)) === 'cancelled');
    const next = await say('next');
    await eventually(async () => (await stateOf(next)) === 'answered');
    expect(backend.asked).toHaveLength(1);
  });
});

describe('a turn of a killed gateway, while it is recovered', () => {
  /** The prompt `old` of channel `a` was being worked on; its recovery waits for `recover`. */
  async function killed(settings: Record<string, string> = {}) {
    const root = mkdtempSync(join(tmpdir(), 'turnout-inbox-'));
    mkdirSync(join(root, 'home'));
    const dead = await openSqliteStore(join(root, 'home', 'turnout.db'));
    const prompt = { channel: 'a', source: 'http', kind: 'prompt', text: 'old', at: 1 } as const;
    const { event } = await dead.accept(prompt, { maxWaiting: 9 });
    await dead.claim({ worker: 'dead', now: 1, leaseUntil: 2, limit: 1 });
    await dead.close();
    let recover = () => {};
    const mayRecover = new Promise<void>((resolve) => (recover = resolve));
    return { ...(await stage(settings, root, mayRecover)), old: event.id, recover };
  }

  it('is stopped by /stop, and never run [fault 13.11: /stop while a turn is recovered]', async () => {
    const { say, stateOf, store, backend, old, recover } = await killed();
    const status = await say('/status');
    expect((await store.event(status))?.responseText).toMatch(/turn: running for/);
    const stopping = say('/stop');
    await eventually(async () => (await store.running('a'))[0]?.stopReason === '/stop');
    recover();
    expect((await store.event(await stopping))?.responseText).toBe('Stopped.');
    expect(await stateOf(old)).toBe('cancelled');
    const next = await say('next');
    await eventually(async () => (await stateOf(next)) === 'answered');
    expect(backend.asked).toEqual(['next']);
  });

  it('gives way to a newer message in interrupt mode, and is never run [fault 13.11: interrupt mode while a turn is recovered]', async () => {
    const { say, stateOf, backend, old, recover } = await killed({ QUEUE_MODE: 'interrupt' });
    const newer = await say('newer');
    recover();
    await eventually(async () => (await stateOf(newer)) === 'answered');
    expect(await stateOf(old)).toBe('cancelled');
    expect(backend.asked).toEqual(['newer']);
  });

  it('is stopped by an interrupt, which waits for the end of the recovery', async () => {
    const { queue, stateOf, backend, old, recover } = await killed();
    const stopping = queue.stop('a', { type: 'stopped', by: 'an interrupt' });
    expect(await Promise.race([stopping, sleep(50, 'waits')])).toBe('waits');
    recover();
    expect(await stopping).toBe(true);
    expect(await stateOf(old)).toBe('cancelled');
    expect(backend.asked).toEqual([]);
  });
});

describe('a turn that is over, whose result can’t be written', () => {
  it('is not said to be stopped [fault 13.11: /stop while an answer is written]', async () => {
    const { say, stateOf, store, queue, unwritable } = await stage();
    unwritable.add('answered');
    const answered = await say('hello');
    await eventually(() => queue.unwritten === 1);
    const command = await say('/stop');
    expect((await store.event(command))?.responseText).toBe(
      'Nothing is left to be stopped here: the turn is over, and its result is being written.',
    );
    unwritable.clear();
    await eventually(async () => (await stateOf(answered)) === 'answered');
  });

  it('is stopped if it was to be tried again', async () => {
    const { say, stateOf, store, queue, unwritable } = await stage();
    unwritable.add('postponed');
    const event = await say('no descriptor');
    await eventually(() => queue.unwritten === 1);
    const stopping = say('/stop');
    await eventually(async () => (await store.running('a'))[0]?.stopReason === '/stop');
    unwritable.clear();
    expect((await store.event(await stopping))?.responseText).toBe('Stopped.');
    await eventually(async () => (await stateOf(event)) === 'cancelled');
  });
});

describe('a CLI that can’t be started for want of a file descriptor', () => {
  it('the message waits, the attempt does not count, and /readyz says why [fault 13.4: EMFILE for a moment]', async () => {
    const { say, stateOf, shortage, store } = await stage();
    const event = await say('no descriptor');
    await eventually(() => shortage.problem !== undefined);
    expect(shortage.problem).toMatch(/no file descriptor/);
    await eventually(async () => (await stateOf(event)) === 'answered');
    expect(await store.event(event)).toMatchObject({ attempts: 1 });
    expect(shortage.problem).toBe(undefined);
  });
});

describe('interrupt mode', () => {
  it('the newest message wins: those it overtook are cancelled and never run [fault 13.11: two newer messages in interrupt mode]', async () => {
    const { say, stateOf, backend } = await stage({ QUEUE_MODE: 'interrupt' });
    const running = await say('wait');
    await eventually(() => backend.asked.length === 1);
    let stopNow = () => {};
    backend.stopped = new Promise<void>((resolve) => {
      stopNow = resolve;
    });
    const overtaken = [await say('wait as well'), await say('wait too')];
    const newest = await say('newest');
    stopNow();
    await eventually(async () => (await stateOf(newest)) === 'answered');
    expect(await Promise.all([running, ...overtaken].map(stateOf))).toEqual(Array(3).fill('cancelled'));
    expect(backend.asked).toEqual(['wait', 'newest']);
  });

  it('of messages that come together to a free channel, too', async () => {
    const { say, stateOf, backend } = await stage({ QUEUE_MODE: 'interrupt' });
    const ids = await Promise.all(['wait 1', 'wait 2', 'last'].map((text) => say(text)));
    await eventually(async () => (await stateOf(ids[2] ?? '')) === 'answered');
    expect(await Promise.all(ids.slice(0, 2).map(stateOf))).toEqual(['cancelled', 'cancelled']);
    expect(backend.asked.at(-1)).toBe('last');
  });

  it('a message that is not accepted overtakes nothing', async () => {
    const { say, stateOf, unacceptable, queue } = await stage({ QUEUE_MODE: 'interrupt' });
    const running = await say('wait');
    await eventually(() => queue.isRunning('a'));
    unacceptable.add('newer');
    await expect(say('newer')).rejects.toThrow('The disk failed.');
    expect(await stateOf(running)).toBe('running');
  });

  it('commands keep their place', async () => {
    const { say, stateOf, queue } = await stage({ QUEUE_MODE: 'interrupt' });
    await say('wait');
    await eventually(() => queue.isRunning('a'));
    const command = await say('/model other');
    const newest = await say('newest');
    await eventually(async () => (await stateOf(newest)) === 'answered');
    expect(await stateOf(command)).toBe('answered');
  });
});
