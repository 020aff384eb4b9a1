import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('the clocks of a live session', () => {
  it('ends a silent model by name', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { modelSilenceMs: 1000 } });
    expect(await lastOf(session.send('hang'))).toMatchObject({
      code: 'timeout',
      message: 'No output from the model for 1 s',
    });
    expect(await lastOf(session.send('say exactly: back'))).toMatchObject({ text: 'back' });
  });

  it.each([true, false])('ends a turn as timed out with AbortSignal.timeout, live: %s', async (live) => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    const timedOut = { type: 'error', code: 'timeout', message: 'Query timed out' };
    const signal = AbortSignal.timeout(1000);
    expect(await lastOf(session.send('hang', { signal }))).toMatchObject(timedOut);
    expect(await lastOf(session.send('never sent', { signal }))).toMatchObject(timedOut);
    // A turn that waits for the one before it.
    const first = lastOf(session.send('hang'));
    const waiting = lastOf(session.send('never sent', { signal: AbortSignal.timeout(100) }));
    expect(await waiting).toMatchObject(timedOut);
    await session.interrupt();
    expect(await first).toMatchObject({ code: 'interrupted' });
    expect(await lastOf(session.send('say exactly: back'))).toMatchObject({ text: 'back' });
    await expect(demo.open({ live: true }, signal)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('does not count a quiet tool as a silent model', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { modelSilenceMs: 3000 } });
    expect(await lastOf(session.send('run a tool for 4 seconds'))).toMatchObject({ type: 'complete' });
  });

  it('ends a tool that takes too long, by its name', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { toolMs: 400 } });
    const last = await lastOf(session.send('run a tool for 30 seconds'));
    expect(last).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^The tool \w+ ran for longer than 0\.4 s$/),
    });
  });

  it('ends the whole turn', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { turnMs: 3000 } });
    expect(await lastOf(session.send('hang'))).toMatchObject({
      code: 'timeout',
      message: 'The turn took longer than 3 s',
    });
  });

  it('does not count a slow reader as a silent model', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { modelSilenceMs: 400 } });
    const events = await slowly(session.send('count to 3'), 700);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: '1 2 3' });
  });

  it('does not count a slow reader as a slow tool', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { toolMs: 800 } });
    const events = await slowly(session.send('run a tool for 0.3 seconds'), 1000, 'tool_start');
    expect(events.at(-1)).toMatchObject({ type: 'complete' });
  });

  it('still ends a tool that takes too long for a reader who is slow now and then', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { toolMs: 400 } });
    const events = await slowly(session.send('run a tool for 30 seconds'), 300, 'tool_start');
    expect(events.at(-1)).toMatchObject({ code: 'timeout', message: expect.stringContaining('ran for') });
  });

  it('does not give a process up because a slow reader has not seen it stop', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ clocks: { turnMs: 3000, stopMs: 300 } });
    const events = await slowly(session.send('run a tool for 20 seconds'), 4000, 'tool_start');
    expect(events.at(-1)).toMatchObject({ code: 'timeout', message: 'The turn took longer than 3 s' });
    for await (const event of session.send('run a tool for 20 seconds')) {
      if (event.type !== 'tool_start') continue;
      void session.interrupt();
      await pause(1000);
      break;
    }
    const after = await collect(session.send('say exactly: same process'));
    expect(after.map(({ type }) => type)).not.toContain('notice');
    expect(after.at(-1)).toMatchObject({ text: 'same process' });
    expect(demo.sessions.processes).toBe(1);
  });

  it('denies a permission that nobody answers, and the turn goes on', async () => {
    demo = new DemoSessions();
    const session = await demo.open({
      permissionMode: 'ask',
      clocks: { permissionMs: 3000, modelSilenceMs: 2000 },
    });
    const events = await collect(session.send('write a note: hello'));
    expect(events.find(({ type }) => type === 'permission_resolved')).toMatchObject({
      decision: 'deny',
      message: 'Nobody answered the permission request for Write within 3 s',
    });
    expect(existsSync(join(demo.directory, 'demo-note.txt'))).toBe(false);
    expect(events.at(-1)?.type).toBe('complete');
  });
});

/** Reads like somebody who has something else to do after each event, or after those of one type. */
async function slowly(events: AsyncIterable<ChatEvent>, ms: number, type?: string): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) {
    all.push(event);
    if (type === undefined || event.type === type) await pause(ms);
  }
  return all;
}
