import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent, 60_000);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('the warm pool', () => {
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
    await vi.waitFor(() => expect(demo.processes()).toEqual([]), 5000);
    expect(JSON.stringify(await lastOf(session.send('what do you remember?')))).toContain('idle');
  });

  it('keeps a spare ready', async () => {
    demo = new DemoSessions({ spares: 1 });
    await demo.open();
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(2), 10_000);
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
