import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe.each([true, false])('closing a session (live: %s)', (live) => {
  it('whose reader has stopped reading frees it: the next send on its id does not hang [fault 13.11: a closed session keeps its turn lock]', async () => {
    demo = new DemoSessions();
    const first = await demo.open({ live });
    await collect(first.send('hello'));
    const { sessionId } = first;
    const reader = first.send('run a tool for 20 seconds')[Symbol.asyncIterator]();
    const seen: ChatEvent[] = [];
    while (seen.at(-1)?.type !== 'tool_start') {
      const next = await reader.next();
      if (next.done) break;
      seen.push(next.value);
    }
    await first.close();
    const second = await demo.open({ live, sessionId });
    expect(await lastOf(second.send('say exactly: free'))).toMatchObject({ text: 'free' });
    // A reader that comes back all the same finds the end of its turn.
    expect(await lastOf({ [Symbol.asyncIterator]: () => reader })).toMatchObject({ code: 'interrupted' });
  });

  it('cancels every send that waits, not only the first [fault 13.11: close() cancels only the first waiting send]', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    const sends = ['run a tool for 20 seconds', 'say exactly: two', 'say exactly: three'].map((prompt) =>
      lastOf(session.send(prompt)),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    await session.close();
    for (const last of await Promise.all(sends))
      expect(last).toMatchObject({ type: 'error', code: 'interrupted' });
  });
});
