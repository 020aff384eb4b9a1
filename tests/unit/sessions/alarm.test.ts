import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Clocks } from '../../../src/config/limits.js';
import { Alarm } from '../../../src/sessions/alarm.js';
import { Watchdog } from '../../../src/sessions/watchdog.js';

const clocks: Clocks = { modelSilenceMs: 1000, toolMs: 0, permissionMs: 0, turnMs: 5000, stopMs: 0 };
let alarm: Alarm;

beforeEach(() => {
  alarm = new Alarm();
  // By name: the fakes of `timers/promises` would outlive this file in the worker's other files.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  alarm.cancel();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it('sets no timer for a turn that follows another one soon', () => {
  new Watchdog(clocks, alarm, () => {}).stop();
  const set = vi.spyOn(globalThis, 'setTimeout');
  for (let turn = 0; turn < 100; turn++) new Watchdog(clocks, alarm, () => {}).stop();
  expect(set).not.toHaveBeenCalled();
  set.mockRestore();
});

it('rings for the turn that runs, at its time, though it was set for the one before', () => {
  const expired: string[] = [];
  const watch = (name: string) =>
    new Watchdog(clocks, alarm, ({ message }) => expired.push(`${name}: ${message}`));
  const first = watch('first');
  vi.advanceTimersByTime(600);
  first.stop();
  watch('second');
  vi.advanceTimersByTime(999);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(['second: No output from the model for 1 s']);
});

it('rings for each of two turns that overlap, also when the later one is over first', () => {
  const expired: string[] = [];
  new Watchdog(clocks, alarm, ({ message }) => expired.push(message));
  vi.advanceTimersByTime(500);
  new Watchdog(clocks, alarm, () => expect.unreachable()).stop();
  vi.advanceTimersByTime(500);
  expect(expired).toEqual(['No output from the model for 1 s']);
});

it('is not taken from the next turn by one that stops late', () => {
  const expired: string[] = [];
  const first = new Watchdog(clocks, alarm, () => first.stop());
  vi.advanceTimersByTime(1000);
  new Watchdog(clocks, alarm, ({ message }) => expired.push(message));
  first.stop();
  vi.advanceTimersByTime(1000);
  expect(expired).toEqual(['No output from the model for 1 s']);
});

it('rings for nobody after the turn, and is not set again', () => {
  new Watchdog(clocks, alarm, () => expect.unreachable()).stop();
  vi.advanceTimersByTime(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
