import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Follower } from '../../../../src/gateway/feed/follower.js';

describe('how often a follower looks (16.1)', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 10_000 });
    vi.advanceTimersByTime(10_000);
  });
  afterEach(() => vi.useRealTimers());

  it('looks at the beginnings of a turn and its first word at once, after a rest', async () => {
    const { follower, looks } = follow();
    for (let news = 0; news < 8; news += 1) {
      follower.grew();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(looks.length).toBe(8);
    follower.grew();
    await vi.advanceTimersByTimeAsync(5);
    expect(looks.length).toBe(8);
    await vi.advanceTimersByTimeAsync(20);
    expect(looks.length).toBe(9);
    follower.end();
  });

  it('reads together what comes quickly, 50 times a second, and misses nothing', async () => {
    const { follower, looks } = follow();
    for (let ms = 0; ms < 2000; ms += 1) {
      follower.grew();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(looks.length).toBeGreaterThan(100);
    expect(looks.length).toBeLessThanOrEqual(100 + 8);
    const before = looks.length;
    follower.grew();
    await vi.advanceTimersByTimeAsync(1000);
    expect(looks.length).toBe(before + 1);
    follower.end();
  });
});

/** A reader that is always ready for more. */
function follow(): { readonly follower: Follower; readonly looks: readonly number[] } {
  const follower = new Follower();
  const looks: number[] = [];
  void (async () => {
    while ((await follower.next()) !== undefined) looks.push(performance.now());
  })();
  return { follower, looks };
}
