import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Clocks } from '../../../src/config/limits.js';
import { Alarm } from '../../../src/sessions/alarm.js';
import { type Expiry, Watchdog } from '../../../src/sessions/watchdog.js';

const day = 24 * 60 * 60 * 1000;
const never: Clocks = { modelSilenceMs: 0, toolMs: 0, permissionMs: 0, turnMs: 0, stopMs: 0 };

let expired: Expiry[];
let watchdog: Watchdog;
let alarm: Alarm;
const start = (clocks: Partial<Clocks>) => {
  watchdog = new Watchdog({ ...never, ...clocks }, alarm, (expiry) => expired.push(expiry));
};
const toolStart = () => watchdog.see({ type: 'tool_start', id: 't', name: 'Bash', input: {} });
const toolEnd = () => watchdog.see({ type: 'tool_end', id: 't', output: '', isError: false });
const ask = (id = 'p') =>
  watchdog.see({ type: 'permission_request', id, tool: 'Write', input: {}, options: ['allow', 'deny'] });
const answer = (id = 'p') => watchdog.see({ type: 'permission_resolved', id, decision: 'allow' });
const speak = () => watchdog.see({ type: 'text', text: 'a' });
const messages = () => expired.map(({ message }) => message);

beforeEach(() => {
  expired = [];
  alarm = new Alarm();
  // By name: the fakes of `timers/promises` would outlive this file in the worker's other files.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  watchdog.stop();
  alarm.cancel();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it('counts the model’s silence from its last word, which a notice is not', () => {
  start({ modelSilenceMs: 1000 });
  vi.advanceTimersByTime(900);
  speak();
  vi.advanceTimersByTime(900);
  watchdog.see({ type: 'notice', level: 'info', message: 'trying again' });
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(messages()).toEqual(['No output from the model for 1 s']);
});

it('counts it anew from a retry: the API has answered, if only with a failure', () => {
  start({ modelSilenceMs: 1000 });
  vi.advanceTimersByTime(900);
  const retry = { attempt: 1, code: 'overloaded', reason: 'oops' } as const;
  watchdog.see({ type: 'notice', level: 'warning', message: 'trying again', retry });
  vi.advanceTimersByTime(900);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(messages()).toEqual(['No output from the model for 1 s']);
});

it('sets one timer for a thousand events', () => {
  start({ modelSilenceMs: 1000, turnMs: 60_000 });
  const set = vi.spyOn(globalThis, 'setTimeout');
  for (let i = 0; i < 1000; i++) {
    watchdog.pause();
    speak();
    watchdog.resume();
    vi.advanceTimersByTime(1);
  }
  expect(set.mock.calls.length).toBeLessThan(5);
  set.mockRestore();
  vi.advanceTimersByTime(1001);
  expect(messages()).toEqual(['No output from the model for 1 s']);
});

it('lets a tool be quiet, and the model after it for its whole time', () => {
  start({ modelSilenceMs: 1000, toolMs: 5000 });
  vi.advanceTimersByTime(500);
  toolStart();
  vi.advanceTimersByTime(4900);
  toolEnd();
  vi.advanceTimersByTime(999);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(messages()).toEqual(['No output from the model for 1 s']);
});

it('does not run the clock of a tool that waits for a permission', () => {
  start({ toolMs: 1000, permissionMs: 10_000, modelSilenceMs: 500 });
  toolStart();
  ask();
  vi.advanceTimersByTime(9000);
  expect(messages()).toEqual([]);
  answer();
  vi.advanceTimersByTime(1001);
  expect(messages()).toEqual(['The tool Bash ran for longer than 1 s']);
});

it('counts only the time in which the tool runs, and not that of its permission', () => {
  start({ toolMs: 4000 });
  toolStart();
  vi.advanceTimersByTime(500);
  ask();
  ask('q');
  vi.advanceTimersByTime(1500);
  answer();
  vi.advanceTimersByTime(1500);
  answer('q');
  vi.advanceTimersByTime(3490);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(messages()).toEqual(['The tool Bash ran for longer than 4 s']);
});

it('lets a permission hold up the tools that begin while it waits, whether or not the reader is busy', () => {
  start({ toolMs: 1000 });
  watchdog.pause();
  ask();
  toolStart();
  watchdog.resume();
  vi.advanceTimersByTime(4500);
  watchdog.pause();
  answer();
  vi.advanceTimersByTime(5000);
  expect(messages()).toEqual([]);
  watchdog.resume();
  vi.advanceTimersByTime(990);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(messages()).toEqual(['The tool Bash ran for longer than 1 s']);
});

it('tells of a permission that nobody answers once, reader or not, and lives on', () => {
  start({ permissionMs: 1000, turnMs: 5000 });
  ask();
  watchdog.pause();
  vi.advanceTimersByTime(3000);
  expect(expired).toEqual([
    {
      type: 'permission',
      id: 'p',
      message: 'Nobody answered the permission request for Write within 1 s',
    },
  ]);
  answer();
  vi.advanceTimersByTime(2001);
  expect(messages()).toEqual([expect.any(String), 'The turn took longer than 5 s']);
});

it('stands still while the reader is busy, and goes on with what was left', () => {
  start({ modelSilenceMs: 1000, toolMs: 1000 });
  vi.advanceTimersByTime(600);
  watchdog.pause();
  vi.advanceTimersByTime(60_000);
  watchdog.resume();
  vi.advanceTimersByTime(390);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(messages()).toEqual(['No output from the model for 1 s']);
});

it('waits for longer than a timer of Node can', () => {
  start({ turnMs: 40 * day });
  vi.advanceTimersByTime(39 * day);
  expect(messages()).toEqual([]);
  vi.advanceTimersByTime(1 * day + 1);
  expect(messages()).toEqual([`The turn took longer than ${(40 * day) / 1000} s`]);
});

it('says nothing after it was stopped, and nothing twice', () => {
  start({ modelSilenceMs: 1000, turnMs: 1000 });
  vi.advanceTimersByTime(5000);
  expect(messages()).toEqual(['The turn took longer than 1 s']);
  expired = [];
  start({ modelSilenceMs: 1000 });
  watchdog.stop();
  speak();
  vi.advanceTimersByTime(5000);
  expect(messages()).toEqual([]);
});
