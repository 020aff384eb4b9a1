import { describe, expect, it } from 'vitest';
import { keptFor } from '../../../../src/gateway/reports/kept-for.js';

describe('a reading that is kept for a while', () => {
  it('is made once for all who ask meanwhile, and anew after that (16.3)', async () => {
    let [time, count] = [0, 0];
    const read = keptFor(
      1000,
      async () => ++count,
      () => time,
    );
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    time = 999;
    expect(await read()).toBe(1);
    time = 1000;
    expect(await read()).toBe(2);
  });

  it('is not kept if it failed', async () => {
    let fails = true;
    const read = keptFor(1000, async () => {
      if (fails) throw new Error('The disk is full.');
      return 'read';
    });
    await expect(read()).rejects.toThrow('full');
    fails = false;
    expect(await read()).toBe('read');
  });
});
