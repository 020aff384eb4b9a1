import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type VendorName, vendorNames } from '../../../src/backends/registry.js';
import type { BackendSession, SessionOptions } from '../../../src/sessions/types.js';
import { patience } from '../../machine-speed.js';
import { collect, DemoSessions } from './demo-sessions.js';

const program = fileURLToPath(new URL('../../fixtures/programs/slow-starter.mjs', import.meta.url));
const interrupted = { code: 'interrupted' };
/** "Within a few seconds": the grace of an ending is two. */

let demo: DemoSessions;
let gate: string;
beforeEach(() => {
  demo = new DemoSessions();
  gate = join(demo.directory, 'gate');
});
afterEach(async () => {
  openGate();
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const closeGate = () => writeFileSync(gate, '');
const openGate = () => rmSync(gate, { force: true });
const none = () => vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
const some = (count: number) => vi.waitFor(() => expect(demo.processes()).toHaveLength(count), patience);

function open(
  signal?: AbortSignal,
  backend: VendorName = 'codex',
  more: Partial<SessionOptions> = {},
): Promise<BackendSession> {
  const { env, ...config } = demo.config;
  const cli = { ...config, cliPath: program, env: { ...env, WAIT_WHILE: gate } };
  return demo.sessions.open({ backend, config: cli, clocks: { stopMs: 300 }, ...more }, { signal });
}

/** With a process that is there, but answers nothing. */
async function openAndGiveUp(): Promise<void> {
  const waits = new AbortController();
  const opening = open(waits.signal);
  await new Promise((resolve) => setTimeout(resolve, 100));
  waits.abort();
  await expect(opening).rejects.toMatchObject(interrupted);
}

describe('a CLI that hangs while it opens a session', () => {
  it('is not waited for when nobody wants the session, and gets no other one', async () => {
    const first = await open();
    closeGate();
    await openAndGiveUp();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const next = open();
    await some(2);
    openGate();
    expect((await next).sessionId).not.toBe(first.sessionId);
    await first.close();
    await some(1);
  });

  it('takes no longer than the turn may', async () => {
    const first = await open();
    closeGate();
    const clocks = { stopMs: 300, turnMs: 1000 };
    const second = await open(undefined, 'codex', { sessionId: first.sessionId, clocks });
    const events = await collect(second.send('hello'));
    expect(events).toMatchObject([
      { type: 'error', code: 'timeout', message: 'The turn took longer than 1 s' },
    ]);
    openGate();
  });

  it('also when the session is opened, and leaves nothing running [fault 13.11: a live CLI that hangs at its start]', async () => {
    closeGate();
    const clocks = { stopMs: 300, turnMs: 800 };
    const timeout = { code: 'timeout', message: 'The turn took longer than 0.8 s' };
    await expect(open(undefined, 'codex', { clocks })).rejects.toMatchObject(timeout);
    await none();
  });

  it('the start counts for the first turn [fault 13.11: the start of a CLI is not part of its turn]', async () => {
    closeGate();
    const opening = open(undefined, 'codex', { clocks: { stopMs: 300, turnMs: 2500 } });
    await some(1);
    await pause(1500);
    openGate();
    const session = await opening;
    // The agent never answers. Of the turn's time not even a second is left.
    const ended = collect(session.send('hello'));
    expect(await Promise.race([ended, pause(2200)])).toMatchObject([
      { type: 'session' },
      { code: 'timeout' },
    ]);
  });

  it('keeps its process when it comes to its end in time, and the session is closed', async () => {
    const first = await open();
    closeGate();
    await openAndGiveUp();
    openGate();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await open()).sessionId).toBe(first.sessionId);
    expect(demo.processes()).toHaveLength(1);
  });
});

describe('a CLI that hangs while it starts', () => {
  it.each(vendorNames)('is ended when nobody waits for it: %s', async (backend) => {
    closeGate();
    const waits = new AbortController();
    const opening = open(waits.signal, backend);
    await some(1);
    waits.abort();
    await expect(opening).rejects.toMatchObject(interrupted);
    await none();
    expect(demo.sessions.processes).toBe(0);
  });

  it.each(['interrupt', 'close'] as const)('is ended with the turn that waits for it: %s', async (how) => {
    const session = await open();
    process.kill(demo.processes()[0] ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(0), patience);
    closeGate();
    const turn = collect(session.send('hello'));
    await some(1);
    await session[how]();
    expect(await turn).toEqual([{ type: 'error', ...interrupted, message: 'Interrupted', retryable: false }]);
    await none();
  });

  it('goes on starting for those who still wait for it', async () => {
    closeGate();
    const waits = new AbortController();
    const opening = open(waits.signal);
    const other = open();
    await some(1);
    waits.abort();
    await expect(opening).rejects.toMatchObject(interrupted);
    const third = open();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(demo.processes()).toHaveLength(1);
    openGate();
    const [pid] = demo.processes();
    for (const session of await Promise.all([other, third])) expect(session.sessionId).toBe(`thread-${pid}`);
    expect(demo.sessions.processes).toBe(1);
  });

  it('is not what the next one waits for, once it was given up', async () => {
    closeGate();
    const waits = new AbortController();
    const opening = open(waits.signal);
    await some(1);
    const [given] = demo.processes();
    waits.abort();
    const next = open();
    await expect(opening).rejects.toMatchObject(interrupted);
    openGate();
    expect((await next).sessionId).not.toBe(`thread-${given}`);
    await some(1);
  });

  it('is ended when all is closed, and whoever waits is told', async () => {
    closeGate();
    const opening = open().catch((error: unknown) => error);
    await some(1);
    await demo.sessions.close();
    expect(await opening).toMatchObject(interrupted);
    expect(demo.processes()).toEqual([]);
  });

  it('keeps its place until it is gone, and no longer', async () => {
    await demo.close();
    demo = new DemoSessions({ maxProcesses: 1 });
    gate = join(demo.directory, 'gate');
    closeGate();
    const waits = new AbortController();
    const opening = open(waits.signal);
    await some(1);
    waits.abort();
    await expect(opening).rejects.toMatchObject(interrupted);
    openGate();
    await open();
    expect(demo.processes()).toHaveLength(1);
  });
});
