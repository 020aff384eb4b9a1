import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from '../../../../../../src/core/chat-event.js';
import { turnFailure } from '../../../../../../src/gateway/channels/http/openai/turn-failure.js';
import type { StoredEvent } from '../../../../../../src/store/rows.js';

function event(state: StoredEvent['state'], code?: ErrorCode): StoredEvent {
  const base = { id: 'evt_1', seq: 1, channel: 'c', source: 'openai', kind: 'prompt', text: 'hi' } as const;
  const error = code === undefined ? undefined : { code, message: `It was ${code}.` };
  return { ...base, state, error, createdAt: 1, attempts: 1, crashes: 0 };
}

describe('why a turn has no answer, for an OpenAI client', () => {
  it.each<[ErrorCode, number, string]>([
    ['rate_limit', 429, 'rate_limit_error'],
    ['auth', 502, 'server_error'],
    ['timeout', 504, 'server_error'],
    ['overloaded', 503, 'server_error'],
    ['bad_request', 400, 'invalid_request_error'],
    ['unknown', 500, 'server_error'],
    ['interrupted', 409, 'invalid_request_error'],
  ])('%s is %i, %s (16.3)', (code, status, type) => {
    const failure = turnFailure(event('failed', code), []);
    expect(failure?.status).toBe(status);
    expect(failure?.body.error).toMatchObject({ type, message: `It was ${code}.`, param: null });
  });

  it('is never tried again by the client, unless the message was not taken (16.3)', () => {
    for (const code of errorCodes)
      expect(turnFailure(event('failed', code), [])?.headers['X-Should-Retry']).toBe('false');
    const full = turnFailure(event('refused', 'overloaded'), []);
    expect(full?.headers).toEqual({ 'X-Should-Retry': 'true', 'Retry-After': '5' });
    expect(turnFailure(event('running'), [])?.headers['X-Should-Retry']).toBe('false');
    expect(turnFailure(event('answered'), [])).toBeUndefined();
  });

  it('says when a limit ends, if the vendor told it (16.3)', () => {
    const told = { type: 'error', code: 'rate_limit', message: 'later', retryable: true } as const;
    const limit = (retryAfterMs: number) =>
      turnFailure(event('failed', 'rate_limit'), [{ ...told, retryAfterMs }])?.headers['Retry-After'];
    expect(limit(90_500)).toBe('91');
    expect(limit(0)).toBeUndefined();
    expect(limit(Number.NaN)).toBeUndefined();
  });
});
