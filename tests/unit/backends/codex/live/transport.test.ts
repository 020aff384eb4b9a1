import { expect, it } from 'vitest';
import { CodexProcess } from '../../../../../src/backends/codex/live/process.js';
import { CodexConnection } from '../../../../../src/backends/codex/live/transport.js';
import { RecentSessions } from '../../../../../src/backends/recent-sessions.js';
import type { TraceEntry } from '../../../../../src/backends/types.js';
import { isRunning, startFixture } from '../../../process/start-fixture.js';

it('a process whose output can’t be taken is ended, and says why', async () => {
  const child = await startFixture('endless.mjs');
  const trace = (entry: TraceEntry) => {
    if (entry.type === 'line' && entry.direction === 'in') throw new Error('choked');
  };
  const running = new CodexProcess(child, new RecentSessions(), { trace });
  await expect(running.initialize()).rejects.toThrow('The output of Codex could not be read: choked');
  await child.exited;
});

it('a handler that throws ends the reading with its error, and what speaks on can be ended', async () => {
  const child = await startFixture('endless.mjs');
  let heard = 0;
  const connection = new CodexConnection(child, {
    receive: () => [],
    garbage: () => {
      heard += 1;
      throw new Error('no more');
    },
  });
  await expect(connection.read()).rejects.toThrow('no more');
  await child.end();
  expect(heard).toBe(1);
  expect(isRunning(child.pid)).toBe(false);
});
