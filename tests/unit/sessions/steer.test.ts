import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import type { BackendSession } from '../../../src/sessions/types.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('what is said into a running turn', () => {
  it('is answered in it: one end, the usage of all, and nothing is left for the next turn', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    const { events, taken } = await steered(session, ['say exactly: one', 'say exactly: two']);
    expect(taken).toEqual([true, true]);
    expect(endings(events)).toMatchObject([
      { type: 'complete', text: expect.stringMatching(/\n\none\n\ntwo$/) },
    ]);
    const usages = events.flatMap((event) => (event.type === 'usage' ? [event.outputTokens] : []));
    expect(usages).toHaveLength(3);
    expect(usages).toEqual(usages.toSorted((a, b) => a - b));
    expect(events.at(-1)).toMatchObject({ usage: { outputTokens: usages.at(-1) } });
    expect(endings(await collect(session.send('say exactly: three')))).toMatchObject([{ text: 'three' }]);
    expect(demo.sessions.processes).toBe(1);
  });

  it('is not taken without a turn, and an empty one never', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    expect(await session.steer('too early')).toBe(false);
    const { taken } = await steered(session, ['']);
    expect(taken).toEqual([false]);
    expect(await session.steer('too late')).toBe(false);
    await session.close();
    expect(await session.steer('closed')).toBe(false);
  });

  it('goes with the turn when that is interrupted', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    const events: ChatEvent[] = [];
    for await (const event of session.send('run a tool for 30 seconds')) {
      events.push(event);
      if (event.type !== 'tool_start') continue;
      expect(await session.steer('say exactly: never')).toBe(true);
      await session.interrupt();
      expect(await session.steer('say exactly: too late')).toBe(false);
    }
    expect(endings(events)).toMatchObject([{ type: 'error', code: 'interrupted' }]);
    const next = await collect(session.send('say exactly: next'));
    expect(JSON.stringify(next)).not.toMatch(/never|too late/);
    expect(next.at(-1)).toMatchObject({ type: 'complete', text: 'next' });
  });

  it('is not taken by a process that is killed, and the session goes on', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    let taken: Promise<boolean> | undefined;
    let last: ChatEvent | undefined;
    for await (const event of session.send('run a tool for 30 seconds')) {
      last = event;
      if (event.type !== 'tool_start') continue;
      const [pid] = demo.agents();
      if (pid === undefined) throw new Error('no agent runs');
      process.kill(pid, 'SIGSTOP');
      taken = session.steer('say exactly: never');
      process.kill(pid, 'SIGKILL');
    }
    expect(last).toMatchObject({ type: 'error', code: 'crashed' });
    expect(await taken).toBe(false);
    expect(await lastOf(session.send('say exactly: next'))).toMatchObject({ type: 'complete', text: 'next' });
  });

  it('is not taken over one-shot runs, with a turn or without', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live: false });
    expect(await session.steer('too early')).toBe(false);
    const { events, taken } = await steered(session, ['say exactly: never']);
    expect(taken).toEqual([false]);
    expect(events.at(-1)).toMatchObject({ type: 'complete' });
  });
});

async function steered(
  session: BackendSession,
  said: readonly string[],
): Promise<{ readonly events: readonly ChatEvent[]; readonly taken: readonly boolean[] }> {
  const events: ChatEvent[] = [];
  const taken: boolean[] = [];
  for await (const event of session.send('run a tool for 1 seconds')) {
    events.push(event);
    if (event.type === 'tool_start') for (const text of said) taken.push(await session.steer(text));
  }
  return { events, taken };
}

function endings(events: readonly ChatEvent[]): readonly ChatEvent[] {
  return events.filter(({ type }) => type === 'complete' || type === 'error');
}
