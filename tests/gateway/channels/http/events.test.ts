import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnoutError } from '../../../../src/core/errors.js';
import { StoreError } from '../../../../src/store/errors.js';
import type { StoredPermission } from '../../../../src/store/rows.js';
import { type Running, startChannel, token } from './fake-gateway.js';

let http: Running;
beforeEach(async () => {
  http = await startChannel();
  await http.gateway.receive({ channel: 'room', source: 'http', text: 'x' });
});
afterEach(() => http.channel.stop());

describe('GET /v1/events/:eventId', () => {
  const get = (query = '') => http.call(`/v1/events/event-1${query}`);

  it('shows an event from waiting to its end', async () => {
    const known = {
      eventId: 'event-1',
      channel: 'room',
      source: 'http',
      createdAt: '2026-01-02T03:04:05.001Z',
    };
    expect(await get()).toMatchObject({ status: 200, json: { ...known, state: 'queued', attempts: 0 } });
    http.gateway.change('event-1', { state: 'answered', responseText: 'done', endedAt: 0, attempts: 1 });
    expect((await get()).json).toEqual({
      ...known,
      state: 'answered',
      attempts: 1,
      endedAt: '1970-01-01T00:00:00.000Z',
      responseText: 'done',
    });
  });

  it('tells why it failed, and keeps a failed attempt apart from that', async () => {
    const error = { code: 'rate_limit', message: 'Too fast.' } as const;
    http.gateway.change('event-1', { error, notBefore: 1000 });
    const waiting = (await get()).json;
    expect(waiting).toMatchObject({ state: 'queued', lastError: error, retryAt: '1970-01-01T00:00:01.000Z' });
    expect(waiting).not.toHaveProperty('error');
    http.gateway.change('event-1', { error, state: 'failed' });
    const failed = (await get()).json;
    expect(failed).toMatchObject({ state: 'failed', error });
    expect(failed).not.toHaveProperty('lastError');
    expect(failed).not.toHaveProperty('retryAt');
  });

  it('knows no other', async () => {
    const answer = await http.call('/v1/events/nope');
    expect(answer).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    expect(answer.json.error.message).toContain('nope');
    expect(await http.call('/v1/events/nope?wait=5')).toMatchObject({ status: 404 });
  });

  it('says so when the store can’t be read', async () => {
    http.gateway.failure = new StoreError('locked', 'SQLITE_BUSY');
    const answer = await get();
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('waits for the end when asked to', async () => {
    const answer = get('?wait=30');
    await expect.poll(() => http.gateway.waiting).toBe(1);
    http.gateway.change('event-1', { state: 'running' });
    await expect.poll(() => http.gateway.waiting).toBe(1);
    http.gateway.change('event-1', { state: 'answered', responseText: 'done' });
    expect((await answer).json).toMatchObject({ state: 'answered', responseText: 'done' });
  });

  it('gives the present state when the wait is over', async () => {
    const began = performance.now();
    expect((await get('?wait=0.2')).json).toMatchObject({ state: 'queued' });
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  it('stops waiting when the one who asked is gone', async () => {
    const gone = new AbortController();
    const headers = { Authorization: `Bearer ${token}` };
    const answer = fetch(`${http.url}/v1/events/event-1?wait=30`, { headers, signal: gone.signal });
    await expect.poll(() => http.gateway.waiting).toBe(1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => http.gateway.waiting).toBe(0);
  });

  it('lets no one who waits hold up a stop', async () => {
    const answer = get('?wait=60');
    await expect.poll(() => http.gateway.waiting).toBe(1);
    const began = performance.now();
    await http.channel.stop();
    expect((await answer).json).toMatchObject({ state: 'queued' });
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it.each(['-1', '61', 'x', '', '1e1'])('refuses to wait %j seconds', async (wait) => {
    expect(await get(`?wait=${wait}`)).toMatchObject({ status: 400 });
  });
});

describe('permissions', () => {
  const request: StoredPermission = {
    id: 'p-1',
    channel: 'room',
    eventId: 'event-1',
    turnId: 'turn-1',
    tool: 'Bash',
    input: { command: 'ls' },
    options: ['allow', 'deny'],
    state: 'pending',
    createdAt: 0,
  };
  const shown = {
    id: 'p-1',
    channel: 'room',
    eventId: 'event-1',
    tool: 'Bash',
    input: { command: 'ls' },
    options: ['allow', 'deny'],
    createdAt: '1970-01-01T00:00:00.000Z',
  };
  const decide = (body: unknown, id = 'p-1') => http.call(`/v1/permissions/${id}`, { method: 'POST', body });
  beforeEach(() => {
    http.gateway.permissions.push(request);
  });

  it('are listed while they are pending, and decided once', async () => {
    expect(await http.call('/v1/permissions')).toMatchObject({ status: 200, json: { permissions: [shown] } });
    const answer = await decide({ decision: 'deny', message: 'Not here.' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ...shown,
      decision: 'deny',
      message: 'Not here.',
      decidedAt: '2026-01-02T03:04:05.099Z',
    });
    expect((await http.call('/v1/permissions')).json).toEqual({ permissions: [] });
    expect(await decide({ decision: 'allow' })).toMatchObject({ status: 409 });
  });

  it('conflict with an earlier decision', async () => {
    http.gateway.permissions.splice(
      0,
      1,
      { ...request, state: 'decided', decision: 'allow' },
      { ...request, id: 'p-2', state: 'void' },
    );
    for (const [id, status, reason] of [
      ['p-1', 409, 'allow'],
      ['p-2', 409, 'void'],
      ['p-3', 404, 'p-3'],
    ] as const) {
      const answer = await decide({ decision: 'deny' }, id);
      expect(answer).toMatchObject({ status, json: { error: { message: expect.stringContaining(reason) } } });
    }
  });

  it.each<[unknown, string]>([
    [{}, '"decision"'],
    [{ decision: 'yes' }, '"allow", "allow_always" or "deny"'],
    [{ decision: 'allow', because: 'x' }, 'unknown field "because"'],
    [{ decision: 'allow', message: 5 }, '"message"'],
    [{ decision: 'allow_always' }, 'not offered'],
  ])('refuse the decision %j', async (body, reason) => {
    http.gateway.failure = new TurnoutError('bad_request', 'That is not offered.');
    const answer = await decide(body);
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining(reason) } },
    });
    expect(await http.gateway.pendingPermissions()).toHaveLength(1);
  });
});
