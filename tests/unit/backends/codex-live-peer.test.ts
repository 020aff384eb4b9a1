import { expect, it } from 'vitest';
import { CodexPeer } from '../../../src/backends/codex/live-peer.js';
import { isRunning, startFixture } from '../process/start-fixture.js';

it('a handler that throws ends the reading with its error, and what speaks on can be ended', async () => {
  const child = await startFixture('endless.mjs');
  let heard = 0;
  const peer = new CodexPeer(child, {
    receive: () => [],
    garbage: () => {
      heard += 1;
      throw new Error('no more');
    },
  });
  await expect(peer.read()).rejects.toThrow('no more');
  await child.end();
  expect(heard).toBe(1);
  expect(isRunning(child.pid)).toBe(false);
});
