import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { setDeadline } from '../../../src/core/wait.js';
import { DemoSessions } from './demo-sessions.js';

let demo: DemoSessions | undefined;
afterEach(async () => {
  await demo?.close();
  demo = undefined;
});

/** Holds the whole program up, like SIGSTOP or a laptop that sleeps: no timer runs and nothing is read. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Longer than a CLI takes to start on a busy machine. */
const clockMs = 2000;

/** Holds the program up until the CLI has written its answer, and then until every clock is over. */
function sleepUntil(file: string): void {
  for (let tries = 0; tries < 500; tries += 1) {
    holdUp(20);
    try {
      if (readFileSync(file, 'utf8') !== '') break;
    } catch {
      // The file is not there yet.
    }
  }
  holdUp(clockMs + 100);
}

const line = (value: object) => `printf '%s\\n' '${JSON.stringify(value)}'`;
const init = line({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });
const result = line({ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: 's' });

it.each([
  ['the whole turn', { turnMs: clockMs }],
  ['the silence of the model', { turnMs: 0, modelSilenceMs: clockMs }],
])(
  'an answer that was complete while the program was held up is an answer: the clock of %s [fault 13.11: SIGSTOP of the gateway until a clock is over]',
  async (_which, clocks) => {
    demo = new DemoSessions();
    const { directory, config } = demo;
    const answered = join(directory, 'answered');
    const cliPath = join(directory, 'cli.sh');
    const program = `#!/bin/sh\n${init}\nsleep 0.05\n${result}\necho yes > '${answered}'\n`;
    writeFileSync(cliPath, program, { mode: 0o755 });
    const session = await demo.open({ live: false, clocks, config: { ...config, cliPath } });
    const events: ChatEvent[] = [];
    for await (const event of session.send('go')) {
      events.push(event);
      // When the reader waits for the next event: while it is busy, the clocks of the model stand still.
      if (event.type === 'session') setImmediate(() => sleepUntil(answered));
    }
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'done' });
  },
);

it('a live session’s answer, too [fault 13.11: SIGSTOP of the gateway, live]', async () => {
  demo = new DemoSessions();
  const session = await demo.open({ clocks: { turnMs: 3000 } });
  const events: ChatEvent[] = [];
  for await (const event of session.send('run a tool for 0.2 seconds')) {
    events.push(event);
    if (event.type === 'tool_start') holdUp(4000);
  }
  expect(events.at(-1)).toMatchObject({ type: 'complete' });
});

it('a deadline is kept on time, and one that came late is kept a moment later', async () => {
  const kept: string[] = [];
  const first = new Promise<void>((resolve) => setDeadline(10, resolve));
  await first;
  setDeadline(20, () => kept.push('late'));
  setDeadline(20, () => kept.push('never')).cancel();
  holdUp(200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(kept).toEqual([]);
  await expect.poll(() => kept).toEqual(['late']);
});
