import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TraceEntry } from '../../../src/backends/types.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { openSession } from '../../../src/sessions/sessions.js';
import { patience } from '../../machine-speed.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('a live session (S1)', () => {
  it('answers turn after turn, and remembers', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    expect(await lastOf(session.send('say exactly: first'))).toMatchObject({
      type: 'complete',
      text: 'first',
    });
    const { sessionId } = session;
    await collect(session.send('remember the number 42'));
    expect(JSON.stringify(await lastOf(session.send('what did I say before?')))).toContain('42');
    expect(session.sessionId).toBe(sessionId);
    expect(demo.sessions.processes).toBe(1);
  });

  it('takes its turns one after the other, whoever sends them', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('hello'));
    const other = await demo.open({ sessionId: session.sessionId });
    const ended: string[] = [];
    await Promise.all([
      collect(session.send('say exactly: one')).then(() => ended.push('one')),
      collect(session.send('say exactly: two')).then(() => ended.push('two')),
      collect(other.send('say exactly: three')).then(() => ended.push('three')),
    ]);
    expect(ended).toEqual(['one', 'two', 'three']);
  });

  it('has one writer from its first turn on', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    const ended: string[] = [];
    let second: Promise<unknown> | undefined;
    const third = () => collect(session.send('say exactly: three')).then(() => ended.push('three'));
    for await (const event of session.send('run a tool for 1 seconds')) {
      if (event.type !== 'tool_start' || second !== undefined) continue;
      const other = await demo.open({ sessionId: session.sessionId });
      second = Promise.all([collect(other.send('say exactly: two')).then(() => ended.push('two')), third()]);
    }
    ended.push('one');
    await second;
    expect(ended).toEqual(['one', 'two', 'three']);
  });

  it('knows what was said through another object, live or one-shot, of this pool or another', async () => {
    demo = new DemoSessions();
    const first = await demo.open();
    await collect(first.send('remember the number 11'));
    const { sessionId } = first;
    const second = await demo.open({ sessionId });
    const elsewhere = await openSession({ backend: 'claude', config: demo.config, sessionId });
    const oneShot = await demo.open({ sessionId, live: false });
    await collect(second.send('remember the number 22'));
    await collect(first.send('remember the number 33'));
    await collect(elsewhere.send('remember the number 44'));
    await collect(oneShot.send('remember the number 55'));
    for (const session of [first, second, elsewhere, oneShot]) {
      const events = await collect(session.send('what did I say before?'));
      for (const number of ['11', '22', '33', '44', '55'])
        expect(JSON.stringify(events.at(-1))).toContain(number);
      expect(events.filter(({ type }) => type === 'notice')).toEqual([]);
    }
    await elsewhere.close();
  });

  it('is traced into its own trace and no other (S9)', async () => {
    demo = new DemoSessions();
    const lines: Record<string, string[]> = { first: [], second: [] };
    const traced = (name: string) => ({
      trace: (entry: TraceEntry) => lines[name]?.push(JSON.stringify(entry)),
    });
    for (const [name, options] of [
      ['first', traced('first')],
      ['second', traced('second')],
      ['untraced', {}],
    ] as const) {
      const session = await demo.open(options);
      await collect(session.send(`say exactly: prompt of the ${name}`));
      await session.close();
    }
    expect(lines['first']?.join()).toContain('prompt of the first');
    expect(lines['second']?.join()).toContain('prompt of the second');
    expect(lines['first']?.join()).not.toMatch(/prompt of the (second|untraced)/);
    expect(lines['second']?.join()).not.toMatch(/prompt of the (first|untraced)/);
  });

  it.each([true, false])('goes on when its trace throws, and tells of it once (live: %s)', async (live) => {
    demo = new DemoSessions();
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const trace = () => {
      throw new Error('no space left');
    };
    const session = await demo.open({ live, trace });
    for (const prompt of ['one', 'two'])
      expect(await lastOf(session.send(`say exactly: ${prompt}`))).toMatchObject({ text: prompt });
    await session.close();
    // A one-shot turn is a process of its own.
    expect(warn.mock.calls.map(([message]) => message)).toEqual(
      Array(live ? 1 : 2).fill(expect.stringContaining('no space left')),
    );
    warn.mockRestore();
  });

  it('goes on when its trace rejects, or throws what is no error', async () => {
    demo = new DemoSessions();
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const rejects: () => void = async () => {
      throw new Error('no space left');
    };
    const throwsNothing = () => {
      throw Object.create(null);
    };
    for (const trace of [rejects, throwsNothing]) {
      const session = await demo.open({ trace });
      expect(await lastOf(session.send('say exactly: hello'))).toMatchObject({ text: 'hello' });
      await session.close();
    }
    expect(warn).toHaveBeenCalledTimes(2);
    warn.mockRestore();
  });

  it('is interrupted, aborted and closed while its process is still starting', async () => {
    demo = new DemoSessions({ idleMs: 50 });
    for (const stop of ['interrupt', 'abort', 'close'] as const) {
      const session = await demo.open();
      await collect(session.send('hello'));
      await vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
      const controller = new AbortController();
      const events = collect(session.send('say exactly: never', { signal: controller.signal }));
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (stop === 'abort') controller.abort();
      else await session[stop]();
      expect((await events).at(-1), stop).toMatchObject({ type: 'error' });
      await session.close();
    }
  });

  it('takes a new model when its process is gone', async () => {
    demo = new DemoSessions({ idleMs: 50 });
    const session = await demo.open();
    await collect(session.send('hello'));
    await vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
    await session.setModel('another-model');
    const events = await collect(session.send('hello again'));
    expect(events.find(({ type }) => type === 'session')).toMatchObject({ model: 'another-model' });
  });

  it('takes no turn while it closes', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('say exactly: once'));
    const closing = session.close();
    expect(await collect(session.send('say exactly: late'))).toMatchObject([
      { type: 'error', code: 'bad_request', message: expect.stringContaining('closed') },
    ]);
    await closing;
  });

  it('is the same over one-shot runs, and after its close', async () => {
    demo = new DemoSessions();
    for (const live of [true, false]) {
      const session = await demo.open({ live });
      await collect(session.send('remember the word same'));
      expect(JSON.stringify(await lastOf(session.send('what do you remember?')))).toContain('same');
      await session.close();
      expect(await lastOf(session.send('hello'))).toMatchObject({ type: 'error', code: 'bad_request' });
    }
  });

  it('is interrupted, by a call, by a signal and by leaving the loop, and stays usable', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    const called = collect(session.send('hang'));
    setTimeout(() => void session.interrupt(), 200);
    expect((await called).at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    expect(await lastOf(session.send('hang', { signal: stop.signal }))).toMatchObject({
      code: 'interrupted',
    });
    for await (const event of session.send('count to 100000')) if (event.type === 'text') break;
    expect(await lastOf(session.send('say exactly: still here'))).toMatchObject({ text: 'still here' });
    expect(demo.sessions.processes).toBe(1);
  });

  it('is interrupted in the moment between the call and the first event', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('hello'));
    for (let moment = 0; moment < 8; moment++) {
      const controller = new AbortController();
      const turn = lastOf(session.send('run a tool for 20 seconds', { signal: controller.signal }));
      for (let i = 0; i < moment; i++) await Promise.resolve();
      if (moment % 2 === 0) await session.interrupt();
      else controller.abort();
      expect(await turn).toMatchObject({ type: 'error', code: 'interrupted' });
    }
    expect(await lastOf(session.send('say exactly: at last'))).toMatchObject({ text: 'at last' });
  });

  it('has no process left when the close of one over one-shot runs resolves, read or not', async () => {
    demo = new DemoSessions();
    for (const reads of [true, false]) {
      const session = await demo.open({ live: false });
      const events = session.send('run a tool for 60 seconds')[Symbol.asyncIterator]();
      let next = await events.next();
      while (!next.done && next.value.type !== 'tool_start') next = await events.next();
      const waiting = reads ? events.next() : undefined;
      await session.close();
      expect(demo.processes()).toEqual([]);
      const rest = [await waiting, await events.next(), await events.next()];
      const types = rest.flatMap((step) => (step === undefined || step.done ? [] : [step.value]));
      expect(types.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
      expect((await events.next()).done).toBe(true);
    }
  });

  it('is not asked again about what is allowed always', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'ask' });
    const asked = async (prompt: string) => {
      let questions = 0;
      for await (const event of session.send(prompt)) {
        if (event.type !== 'permission_request') continue;
        questions += 1;
        expect(event.options).toContain('allow_always');
        await session.answerPermission(event.id, 'allow_always');
      }
      return questions;
    };
    expect(await asked('run a tool for 0.1 seconds')).toBe(1);
    expect(await asked('run a tool for 0.1 seconds')).toBe(0);
    expect(await asked('write a note: another tool')).toBe(1);
    expect(await asked('write a note: the same tool')).toBe(0);
  });

  it('asks, and does what it is told', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'ask' });
    const note = join(demo.directory, 'demo-note.txt');
    expect(await askedTurn('deny')).toMatchObject({ decision: 'deny' });
    expect(existsSync(note)).toBe(false);
    expect(await askedTurn('allow')).toMatchObject({ decision: 'allow' });
    expect(existsSync(note)).toBe(true);
    await expect(session.answerPermission('no-such', 'allow')).rejects.toMatchObject({ code: 'bad_request' });

    async function askedTurn(decision: 'allow' | 'deny'): Promise<ChatEvent | undefined> {
      const events: ChatEvent[] = [];
      for await (const event of session.send('write a note: hello')) {
        events.push(event);
        if (event.type === 'permission_request')
          await session.answerPermission(event.id, decision, 'because');
      }
      return events.find((event) => event.type === 'permission_resolved');
    }
  });

  it('goes on in a new process when the old one dies, and says so', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('remember the word railway'));
    expect(await lastOf(session.send('crash'))).toMatchObject({ type: 'error', code: 'crashed' });
    const after = await collect(session.send('what do you remember?'));
    expect(after[0]).toMatchObject({ type: 'notice', message: expect.stringContaining('resumed') });
    expect(JSON.stringify(after.at(-1))).toContain('railway');
  });

  it.each([true, false])('begins anew where nothing was stored of it (live: %s)', async (live) => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    expect(await lastOf(session.send('crash'))).toMatchObject({ type: 'error' });
    const { sessionId } = session;
    demo.forgetConversations();
    const after = await collect(session.send('say exactly: a new beginning'));
    expect(after).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringContaining('begun') }),
    );
    expect(after.at(-1)).toMatchObject({ type: 'complete', text: 'a new beginning' });
    expect(session.sessionId).not.toBe(sessionId);
  });

  it.each([true, false])('has one turn at a time while it begins anew, too (live: %s)', async (live) => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    await lastOf(session.send('crash'));
    demo.forgetConversations();
    const ends: string[] = [];
    let second: Promise<unknown> | undefined;
    for await (const event of session.send('run a tool for 0.3 seconds')) {
      if (event.type === 'complete') ends.push('first');
      if (event.type === 'notice') second ??= lastOf(session.send('hello')).then(() => ends.push('second'));
    }
    await second;
    expect(ends).toEqual(['first', 'second']);
  });

  it.each([true, false])('does not forget in silence what was said (live: %s)', async (live) => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    await collect(session.send('remember the word lost'));
    await collect(session.send('crash'));
    demo.forgetConversations();
    expect(await lastOf(session.send('hello'))).toMatchObject({ code: 'session_not_found' });
  });

  it('begins anew when its process dies before the first turn', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    for (const pid of demo.processes()) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(demo.sessions.processes).toBe(0), patience);
    const events = await collect(session.send('say exactly: first'));
    expect(events[0]).toMatchObject({ type: 'notice', message: expect.stringContaining('begun') });
    expect(events.at(-1)).toMatchObject({ text: 'first' });
  });

  it('fails with a code when it can’t be opened, and leaves nothing', async () => {
    demo = new DemoSessions();
    await expect(demo.open({ sessionId: '11111111-1111-4111-8111-111111111111' })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    const config = {
      cliPath: '/no/such/claude',
      workingDir: demo.directory,
      queryTimeoutMs: 0,
      allowedTools: [],
      maxTurns: 25,
    };
    await expect(demo.open({ config })).rejects.toMatchObject({ code: 'not_installed' });
    expect(demo.sessions.processes).toBe(0);
  });

  it('ends what its tools left running', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('start a child'));
    await session.close();
    await demo.sessions.close();
    expect(demo.processes()).toEqual([]);
  });
});

describe.each([
  { how: 'ignores an interrupt', agrees: false },
  { how: 'agrees to stop and goes on', agrees: true },
])('a CLI that $how', ({ agrees }) => {
  it('is given up with its process; the session goes on in another one and says so', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ config: demo.deafConfig(agrees), clocks: { stopMs: 500 } });
    await collect(session.send('remember the word deaf'));
    const before = demo.processes();
    const events: ChatEvent[] = [];
    for await (const event of session.send('run a tool for 60 seconds')) {
      events.push(event);
      if (event.type === 'tool_start') void session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    // Nobody watches it any more: it is ended without waiting for the next turn.
    await vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
    const after = await collect(session.send('what do you remember?'));
    expect(after[0]).toMatchObject({ type: 'notice', message: expect.stringContaining('resumed') });
    expect(JSON.stringify(after.at(-1))).toContain('deaf');
    expect(demo.processes().filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('does not hold up a close', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ config: demo.deafConfig(agrees), clocks: { stopMs: 300 } });
    // A reader that has gone away without a word.
    const events = session.send('run a tool for 60 seconds')[Symbol.asyncIterator]();
    await events.next();
    const began = performance.now();
    await session.close();
    expect(performance.now() - began).toBeLessThan(30_000);
    await vi.waitFor(() => expect(demo.processes()).toEqual([]), patience);
  });
});
