import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LiveProcess, LiveProtocol, LiveSessionOptions } from '../../../src/backends/live/types.js';
import type { ProcessExit } from '../../../src/process/start-process.js';
import { type ProcessKind, WarmPool } from '../../../src/sessions/warm-pool.js';
import { patience } from '../../machine-speed.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;

describe('the warm pool', () => {
  afterEach(async () => {
    await demo.close();
    expect(demo.processes()).toEqual([]);
  });

  it('gives a process that was left to the next new session, with nothing of the old one', async () => {
    demo = new DemoSessions();
    const first = await demo.open();
    await collect(first.send('remember the word secret'));
    const { sessionId } = first;
    await first.close();
    const second = await demo.open();
    expect(JSON.stringify(await lastOf(second.send('what do you remember?')))).not.toContain('secret');
    expect(second.sessionId).not.toBe(sessionId);
    expect(demo.sessions.processes).toBe(1);
  });

  it('does not give one kind of session the process of another', async () => {
    demo = new DemoSessions();
    const first = await demo.open({ systemPrompt: 'You are A.' });
    await first.close();
    await demo.open({ systemPrompt: 'You are B.' });
    expect(demo.sessions.processes).toBe(2);
  });

  it('is capped: an idle session makes room, and goes on by its id', async () => {
    demo = new DemoSessions({ maxProcesses: 2 });
    const sessions = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const session = await demo.open();
      await collect(session.send(`remember the letter ${name}`));
      sessions.push(session);
    }
    expect(demo.sessions.processes).toBeLessThanOrEqual(2);
    for (const [index, session] of sessions.entries()) {
      expect(JSON.stringify(await lastOf(session.send('what do you remember?')))).toContain(
        `letter ${'abcd'[index]}`,
      );
    }
    expect(demo.sessions.processes).toBeLessThanOrEqual(2);
  });

  it('is capped for sessions that are opened at the same time, too', async () => {
    demo = new DemoSessions({ maxProcesses: 2 });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, demo.sessions.processes);
    }, 5);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => demo.open()));
    await Promise.all(sessions.map((session) => collect(session.send('hello'))));
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('waits at its close for what is still starting', async () => {
    demo = new DemoSessions({ spares: 2 });
    await demo.open();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await demo.sessions.close();
    expect(demo.processes()).toEqual([]);
  });

  it('waits for room when every process is at work', async () => {
    demo = new DemoSessions({ maxProcesses: 1 });
    const busy = await demo.open();
    const running = collect(busy.send('run a tool for 1 seconds'));
    const order: string[] = [];
    await Promise.all([
      running.then(() => order.push('the running turn')),
      demo.open().then(() => order.push('the waiting session')),
    ]);
    expect(order).toEqual(['the running turn', 'the waiting session']);
  });

  it('does not keep room for one that has given up waiting', async () => {
    demo = new DemoSessions({ maxProcesses: 1 });
    const busy = await demo.open();
    const running = collect(busy.send('run a tool for 1 seconds'));
    const waits = new AbortController();
    const gone = demo.open({}, waits.signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = demo.open();
    waits.abort();
    await expect(gone).rejects.toMatchObject({ code: 'interrupted' });
    await running;
    expect(await lastOf((await next).send('hello'))).toMatchObject({ type: 'complete' });
  });

  it('is capped in memory too', async () => {
    demo = new DemoSessions({ maxResidentBytes: 1 });
    const first = await demo.open();
    await collect(first.send('hello'));
    await demo.open();
    expect(demo.sessions.processes).toBe(1);
  });

  it('ends a process that nobody uses', async () => {
    demo = new DemoSessions({ idleMs: 100 });
    const session = await demo.open();
    await collect(session.send('remember the word idle'));
    await vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
    expect(JSON.stringify(await lastOf(session.send('what do you remember?')))).toContain('idle');
  });

  it('keeps a spare ready', async () => {
    demo = new DemoSessions({ spares: 1 });
    await demo.open();
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(2), patience);
  });

  it('keeps as many spares ready as are wanted, and no more, however many sessions are opened', async () => {
    demo = new DemoSessions({ spares: 2 });
    await demo.open();
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(3), patience);
    await Promise.all([demo.open(), demo.open()]);
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(5), patience);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(demo.agents()).toHaveLength(5);
  });

  it('keeps its spares within the cap', async () => {
    demo = new DemoSessions({ spares: 5, maxProcesses: 3 });
    await demo.open();
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(3), patience);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(demo.agents()).toHaveLength(3);
  });

  it('resumes a session when the stuck process that it was in is gone, and not before', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { stopMs: 300 } });
    await collect(session.send('remember the word stuck'));
    const [stuck] = demo.agents();
    if (stuck === undefined) throw new Error('no agent runs');
    for await (const event of session.send('run a tool for 60 seconds')) {
      if (event.type !== 'tool_start') continue;
      process.kill(stuck, 'SIGSTOP');
      void session.interrupt();
    }
    expect(demo.agents()).toContain(stuck);
    let resumedBeside = false;
    for await (const event of session.send('what do you remember?')) {
      resumedBeside ||= demo.agents().includes(stuck);
      if (event.type === 'complete') expect(event.text).toContain('stuck');
    }
    expect(resumedBeside).toBe(false);
  });

  it('refuses sessions when it is closed, also to those that wait', async () => {
    demo = new DemoSessions({ maxProcesses: 1 });
    const busy = await demo.open();
    void collect(busy.send('hang'));
    const waiting = demo.open().catch((error: { code: string }) => error.code);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await demo.sessions.close();
    expect(await waiting).toBe('interrupted');
    await expect(demo.open()).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('a process that was given up', () => {
  it('is ended before a session of its kind is resumed, unless somebody’s turn runs in it', async () => {
    const { pool, kind, processes } = fakePool();
    const stuck = await pool.acquire(kind, options());
    const idle = await pool.acquire(kind, options());
    const busy = await pool.acquire(kind, options());
    busy.busy();
    stuck.retire();
    stuck.release();
    const meanwhile = await pool.acquire(kind, options('a'));
    expect(processes.map(({ ended }) => ended)).toEqual([false, false]);
    busy.idle();
    const resuming = pool.acquire(kind, options('a'));
    expect(processes[0]?.ended).toBe(true);
    expect(await Promise.race([resuming, tick('waits')])).toBe('waits');
    processes[0]?.exit();
    expect((await resuming).process).toBe(meanwhile.process);
    expect(idle.alive).toBe(false);
    processes[1]?.exit();
    await pool.close();
  });

  it('is not waited for by a new session, nor by one that is called off', async () => {
    const { pool, kind, processes } = fakePool();
    const stuck = await pool.acquire(kind, options());
    stuck.retire();
    stuck.release();
    expect(processes[0]?.ended).toBe(true);
    const cancelled = new AbortController();
    const resuming = pool.acquire(kind, options('a'), cancelled.signal);
    cancelled.abort(new Error('called off'));
    await expect(resuming).rejects.toThrow('called off');
    expect((await pool.acquire(kind, options())).process).not.toBe(stuck.process);
    for (const process of processes) process.exit();
    await pool.close();
  });
});

/** A pool of processes that hold many sessions, and end when they are told to `exit`. */
function fakePool() {
  const processes: { process: LiveProcess; ended: boolean; exit(): void }[] = [];
  const start = async (): Promise<LiveProcess> => {
    let exit: (how: ProcessExit) => void = () => {};
    const exited = new Promise<ProcessExit>((resolve) => {
      exit = resolve;
    });
    const fake = {
      ended: false,
      exit: () => exit({ code: null, signal: 'SIGKILL' }),
      process: {
        pid: process.pid,
        exited,
        open: () => Promise.reject(new Error('not needed')),
        end: async () => {
          fake.ended = true;
          await exited;
        },
      },
    };
    processes.push(fake);
    return fake.process;
  };
  const protocol = { sessionsPerProcess: 'many' } as LiveProtocol;
  const kind: ProcessKind = { key: 'fake', protocol, start };
  return { pool: new WarmPool(), kind, processes };
}

function options(sessionId?: string): LiveSessionOptions {
  const lists = { allowedTools: [], disallowedTools: [] };
  return { cwd: '/', sessionId, systemPrompt: '', permissionMode: 'bypass', ...lists };
}

function tick<T>(value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), 20));
}
