import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readRetry } from '../../../../src/backends/codex/retries.js';
import { findRetries } from '../../../../src/backends/gemini/retries.js';
import { retryReader } from '../../../../src/backends/opencode/retries.js';
import {
  awaitedRetry,
  hopelessRetry,
  retryNotice,
  timedOut,
} from '../../../../src/backends/output/retries.js';
import { notice, type Retry, type StepEvent } from '../../../../src/core/chat-event.js';

const retry: Retry = { attempt: 1, of: 10, delayMs: 20_000, status: 429, code: 'rate_limit', reason: 'slow' };
const advice = { signIn: 'Sign in.' };

describe('a retry', () => {
  it('is told with the status, the count and the wait', () => {
    expect(retryNotice('Claude', retry)).toEqual({
      type: 'notice',
      level: 'warning',
      message: 'The API failed (429, slow); Claude tries again: retry 1 of 10 in 20 s',
      retry,
    });
  });

  it('of what does not pass by itself is ended when two were in vain', () => {
    const refused = (attempt: number): Retry => ({ ...retry, attempt, code: 'auth', reason: 'bad key' });
    expect(hopelessRetry(refused(2), undefined, advice)).toBeUndefined();
    expect(hopelessRetry(refused(3), undefined, advice)).toMatchObject({
      code: 'auth',
      message: expect.stringMatching(/bad key[\s\S]*\nSign in\.$/),
      retryable: false,
    });
    for (const code of ['rate_limit', 'overloaded', 'network', 'unknown'] as const)
      expect(hopelessRetry({ ...retry, code, attempt: 9 }, undefined, advice)).toBeUndefined();
  });

  it('that comes after the end of the turn is not waited for, and the time until it is told', () => {
    expect(hopelessRetry(retry, 20_001, advice)).toBeUndefined();
    expect(hopelessRetry(retry, 19_999, advice)).toMatchObject({
      code: 'rate_limit',
      retryable: true,
      retryAfterMs: 20_000,
    });
  });

  it('that was waited for when the time was up is named', () => {
    const waiting = awaitedRetry(undefined, [retryNotice('Codex', retry), notice('info', 'x')]);
    expect(timedOut('Query timed out', waiting)).toMatchObject({
      code: 'timeout',
      message: 'Query timed out\nThe API had failed: slow (retry 1)',
      detail: 'Query timed out',
    });
    const wentOn = awaitedRetry(waiting, [{ type: 'text', text: 'x' }]);
    expect(timedOut('Query timed out', wentOn)).not.toHaveProperty('detail');
  });
});

describe("a retry in Codex's words", () => {
  it.each([
    ['Reconnecting... 2/5 (unexpected status 401 Unauthorized: bad key, url: x)', [2, 5, 401, 'auth']],
    [
      'Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)',
      [1, 5, 429, 'rate_limit'],
    ],
    ['Reconnecting... 1/5 (We’re currently experiencing high demand)', [1, 5, undefined, 'overloaded']],
    ['Reconnecting... waiting for network (Connection failed: x)', [1, undefined, undefined, 'network']],
  ])('%s', (message, [attempt, of, status, code]) => {
    const found = readRetry(message);
    expect([found?.attempt, found?.of, found?.status, found?.code]).toEqual([attempt, of, status, code]);
  });

  it('is no other error', () => expect(readRetry('Quota exceeded.')).toBeUndefined());
});

describe("a retry on Gemini's stderr", () => {
  const stderr = [
    'Ripgrep is not available. Falling back to GrepTool.',
    'Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}',
    '    at throwErrorIfNotOK (file:///x.js:267833:24)',
    'Attempt 2 failed: Quota exceeded for quota metric. Please retry in 7.5s.',
    'Suggested retry after 7.5s.. Retrying after 8839ms...',
    'Attempt 3 failed. Retrying with backoff... exception TypeError: fetch failed sending request',
    '',
  ].join('\n');

  it('is told with what the API said, and the wait', () => {
    const retries = findRetries(stderr)[0].map((event) => event.type === 'notice' && event.retry);
    expect(retries).toEqual([
      { attempt: 1, status: 429, code: 'rate_limit', reason: 'slow down' },
      {
        attempt: 2,
        code: 'rate_limit',
        delayMs: 8839,
        reason: 'Quota exceeded for quota metric. Please retry in 7.5s',
      },
      { attempt: 3, code: 'network', reason: 'exception fetch failed sending request' },
    ]);
  });
});

describe("a retry in OpenCode's log", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const line = (words: string, small = false) =>
    `timestamp=2026-11-17T16:47:09.223Z level=ERROR run=17baba05 message="stream error" providerID=lab modelID=lab-model session.id=ses_1 small=${small} agent=build mode=primary error.error=${words}`;

  it('is told when the turn goes on, or with the next one', () => {
    const events: StepEvent[] = [];
    const read = retryReader((event) => events.push(event));
    read(line('"AI_APICallError: \\"slow\\" down"'));
    expect(events).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(events).toMatchObject([{ retry: { attempt: 1, of: 5, reason: '"slow" down' } }]);
    read(line('"AI_APICallError: rate limit"'));
    read(line('oops'));
    read(line('"a title"', true));
    read('timestamp=2026-11-17T16:47:09.223Z level=ERROR run=1 message=other');
    expect(events.slice(1)).toMatchObject([{ retry: { attempt: 2, code: 'rate_limit' } }]);
    vi.advanceTimersByTime(2000);
    expect(events.slice(2)).toMatchObject([{ retry: { attempt: 3, code: 'overloaded', reason: 'oops' } }]);
  });
});
