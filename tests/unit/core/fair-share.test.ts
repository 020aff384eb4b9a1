import { setImmediate as anything } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairShare } from '../../../src/core/fair-share.js';

describe('readers that are all behind (16.1)', () => {
  it('let everything else go between their pieces', async () => {
    const share = new FairShare(2);
    let left = 0;
    const read = async () => {
      for (let piece = 0; piece < 20; piece += 1) {
        const turn = share.take();
        if (turn !== undefined) await turn;
        const until = performance.now() + 0.1;
        while (performance.now() < until);
      }
      left -= 1;
    };
    const readers = Array.from({ length: 100 }, () => {
      left += 1;
      return read();
    });
    let chances = 0;
    while (left > 0) {
      await anything();
      chances += 1;
    }
    await Promise.all(readers);
    // Each reader has 20 pieces: without giving way, all of them are read at one go.
    expect(chances).toBeGreaterThan(8);
  });

  it('are woken one after the other: not all of those that wait work in the same turn', async () => {
    const share = new FairShare(2);
    let worked = 0;
    const reader = async () => {
      const turn = share.take();
      if (turn !== undefined) await turn;
      const until = performance.now() + 1;
      while (performance.now() < until);
      worked += 1;
    };
    const readers = Array.from({ length: 100 }, reader);
    let most = 0;
    while (worked < readers.length) {
      const before = worked;
      await anything();
      most = Math.max(most, worked - before);
    }
    await Promise.all(readers);
    expect(most).toBeLessThan(10);
  });
});
