import { expect, it } from 'vitest';
import { dayMs } from '../../../../src/core/format.js';
import { SteadyTime } from '../../../../src/gateway/archive/steady-time.js';

it('believes a clock that was set forward only when it is still so at the next look [fault 13.4: the clock is set forward, retention]', () => {
  let now = 1000 * dayMs;
  let elapsed = 0;
  const time = new SteadyTime(
    () => now,
    () => elapsed,
  );
  const pass = (ms: number) => {
    now += ms;
    elapsed += ms;
  };
  expect(time.look()).toBe(now);
  pass(dayMs / 4);
  expect(time.look()).toBe(now);
  now += 400 * dayMs;
  expect(time.look()).toBe(undefined);
  now -= 400 * dayMs;
  pass(dayMs / 4);
  expect(time.look()).toBe(now);
  now += 9 * dayMs;
  expect(time.look()).toBe(undefined);
  pass(dayMs / 4);
  expect(time.look()).toBe(now);
});
