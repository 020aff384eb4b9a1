import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clocks } from '../../../src/config/limits.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('the last session of the demo agent (S4)', () => {
  it.each([true, false])('is the one that is continued, live: %s', async (live) => {
    demo = new DemoSessions();
    await expect(demo.open({ live, continueLast: true })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    for (const prompt of ['remember that the door is open', 'remember that the kettle is on']) {
      const session = await demo.open({ live });
      await collect(session.send(prompt));
      await session.close();
    }
    const again = await demo.open({ live, continueLast: true });
    expect(await lastOf(again.send('what do you remember'))).toMatchObject({
      text: 'I remember:\n- the kettle is on',
    });
    await again.close();
    const elsewhere = demo.open({ live, continueLast: true, cwd: '/' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('the clocks of a session over one-shot runs', () => {
  it.each<[string, string, Partial<Clocks>, RegExp, stream?: boolean]>([
    ['a silent model', 'hang', { modelSilenceMs: 700 }, /^No output from the model for 0\.7 s$/],
    ['a tool', 'run a tool for 60 seconds', { toolMs: 400 }, /^The tool \w+ ran for longer than 0\.4 s$/],
    ['the turn', 'run a tool for 60 seconds', { turnMs: 700 }, /^Query timed out$/],
    [
      'a silent model that nobody watches',
      'hang',
      { modelSilenceMs: 700 },
      /^No output from the model/,
      false,
    ],
  ])('end %s by name, and with its process', async (_, prompt, clocks, message, stream = true) => {
    demo = new DemoSessions();
    const session = await demo.open({ live: false, clocks, stream });
    const events = await collect(session.send(prompt));
    expect(demo.processes()).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'timeout', retryable: true });
    expect(events.at(-1)).toMatchObject({ message: expect.stringMatching(message) });
    for (const event of events) if (event.type === 'tool_end') expect(event.isError).toBe(true);
    expect(events.filter(({ type }) => type === 'error' || type === 'complete')).toHaveLength(1);
  });

  it('have the config’s time for the turn, where none is given', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live: false, config: { ...demo.config, queryTimeoutMs: 600 } });
    const last = await lastOf(session.send('hang'));
    expect(last).toMatchObject({ code: 'timeout', message: 'Query timed out' });
  });

  it('count neither a quiet tool nor a slow reader as a silent model', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live: false, clocks: { modelSilenceMs: 2500 } });
    const events: ChatEvent[] = [];
    for await (const event of session.send('run a tool for 3 seconds')) {
      events.push(event);
      if (event.type === 'tool_end') await pause(3000);
    }
    expect(events.at(-1)).toMatchObject({ type: 'complete' });
  });

  it('count no silence of a CLI that has answered and waits for a background command', async () => {
    demo = new DemoSessions();
    const cliPath = fileURLToPath(new URL('../../fixtures/programs/background-task.mjs', import.meta.url));
    const config = { ...demo.config, cliPath };
    const session = await demo.open({ live: false, config, clocks: { modelSilenceMs: 500 } });
    expect(await lastOf(session.send('go'))).toMatchObject({ type: 'complete', text: 'all done' });
  });

  it('count no silence of a CLI that has answered and does not exit yet', async () => {
    demo = new DemoSessions();
    const cliPath = join(demo.directory, 'slow-exit.mjs');
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: '5' };
    const program = `console.log(${JSON.stringify(JSON.stringify(result))}); setTimeout(() => {}, 900);`;
    writeFileSync(cliPath, `#!${process.execPath}\n${program}\n`, { mode: 0o755 });
    const config = { ...demo.config, cliPath };
    const session = await demo.open({ live: false, config, clocks: { modelSilenceMs: 400 } });
    expect(await lastOf(session.send('go'))).toMatchObject({ type: 'complete', text: 'done' });
  });

  it('count no silence of a CLI that prints a message only when it is complete, nor in a plain format', async () => {
    demo = new DemoSessions();
    const cliPath = join(demo.directory, 'late.sh');
    const codex = '{"type":"message","role":"assistant","content":"late","session_id":"5"}';
    const gemini = '{"session_id":"5","response":"late","stats":{}}';
    const program = `#!/bin/sh\nsleep 0.9\n[ "$1" = exec ] && echo '${codex}' || echo '${gemini}'\n`;
    writeFileSync(cliPath, program, { mode: 0o755 });
    const options = { live: false, config: { ...demo.config, cliPath }, clocks: { modelSilenceMs: 300 } };
    for (const more of [{ backend: 'codex' }, { backend: 'gemini', stream: false }] as const) {
      const session = await demo.open({ ...options, ...more });
      expect(await lastOf(session.send('go'))).toMatchObject({ type: 'complete', text: 'late' });
    }
  });

  it('leave the name to an interrupt that came first', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live: false, clocks: { turnMs: 2000 } });
    const events: ChatEvent[] = [];
    for await (const event of session.send('run a tool for 60 seconds')) {
      events.push(event);
      if (event.type !== 'tool_start') continue;
      await session.interrupt();
      await pause(2200);
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted', message: 'Interrupted' });
  });
});

describe.each([true, false])('an interrupt of a session (live: %s)', (live) => {
  it('is heard in the moment between the call and the first event', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    for (let moment = 0; moment < 8; moment++) {
      const turn = lastOf(session.send('run a tool for 20 seconds'));
      for (let i = 0; i < moment; i++) await Promise.resolve();
      await session.interrupt();
      expect(await turn).toMatchObject({ type: 'error', code: 'interrupted' });
    }
    expect(await lastOf(session.send('say exactly: at last'))).toMatchObject({ text: 'at last' });
  });

  it('ends the running turn, and not the one that waits behind it', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ live });
    const running = lastOf(session.send('run a tool for 20 seconds'));
    const waiting = lastOf(session.send('say exactly: next'));
    await pause(100);
    await session.interrupt();
    expect(await running).toMatchObject({ code: 'interrupted' });
    expect(await waiting).toMatchObject({ text: 'next' });
  });

  it('is heard by a turn that waits for another object with the same session', async () => {
    demo = new DemoSessions();
    const first = await demo.open({ live });
    await collect(first.send('hello'));
    const second = await demo.open({ live, sessionId: first.sessionId });
    const running = lastOf(first.send('run a tool for 1 seconds'));
    const waiting = lastOf(second.send('say exactly: never'));
    await second.interrupt();
    expect(await waiting).toMatchObject({ code: 'interrupted' });
    expect(await running).toMatchObject({ type: 'complete' });
  });
});

describe.each([true, false])(
  'the reader of a turn (live: %s) who leaves while it waits for the next event',
  (live) => {
    it.each(['return', 'throw'] as const)('ends the turn: %s', async (how) => {
      demo = new DemoSessions();
      const session = await demo.open({ live });
      const events = await untilTool(session.send('run a tool for 60 seconds'));
      const pending = events.next();
      const began = performance.now();
      if (how === 'return') await events.return?.();
      else await expect(events.throw?.(new Error('enough'))).rejects.toThrow('enough');
      expect(performance.now() - began).toBeLessThan(30_000);
      await pending;
      expect((await events.next()).done).toBe(true);
      if (!live) expect(demo.processes()).toEqual([]);
      expect(await lastOf(session.send('say exactly: usable'))).toMatchObject({ text: 'usable' });
    });

    it('ends only its own, where it waits behind another one', async () => {
      demo = new DemoSessions();
      const session = await demo.open({ live });
      const running = await untilTool(session.send('run a tool for 1 seconds'));
      const waiting = session.send('say exactly: never')[Symbol.asyncIterator]();
      const pending = waiting.next();
      await waiting.return?.();
      expect((await pending).value).toMatchObject({ code: 'interrupted' });
      expect(await lastOf({ [Symbol.asyncIterator]: () => running })).toMatchObject({ type: 'complete' });
    });
  },
);

async function untilTool(events: AsyncIterable<ChatEvent>): Promise<AsyncIterator<ChatEvent>> {
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    const next = await iterator.next();
    if (next.done || next.value.type === 'tool_start') return iterator;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
