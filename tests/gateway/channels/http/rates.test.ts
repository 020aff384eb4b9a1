import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Running, startChannel, token } from './fake-gateway.js';
import { send } from './raw-request.js';

let http: Running;
afterEach(() => http.channel.stop());

const withToken = (given: string) => ({ headers: { Authorization: `Bearer ${given}` } });

describe('too much from one address', () => {
  it('wrong tokens are turned away; the right one still passes (16.5)', async () => {
    http = await startChannel();
    const statuses: number[] = [];
    for (let n = 0; n < 25; n += 1)
      statuses.push((await send(http, '/v1/permissions', withToken(`x${n}`))).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.slice(-4)).toEqual([429, 429, 429, 429]);
    const refused = await send(http, '/v1/permissions', withToken('x'));
    expect(refused.json.error.code).toBe('too_many_requests');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send(http, '/v1/permissions', withToken(token))).status).toBe(200);
    // Who has no token yet has not guessed: the page asks before it has one.
    expect((await send(http, '/v1/permissions')).status).toBe(401);
  });

  it('requests are turned away, whatever they ask for (16.5)', async () => {
    http = await startChannel({ maxRequestsPerMinute: 5 });
    for (let n = 0; n < 5; n += 1) expect((await send(http, '/healthz')).status).toBe(200);
    for (const path of ['/healthz', '/v1/permissions', '/nowhere']) {
      const { status, headers, json } = await send(http, path);
      expect([status, json.error.code]).toEqual([429, 'too_many_requests']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('for the page’s files are counted apart from all others (16.5)', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnout-page-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'index.html'), '<!doctype html>');
    http = await startChannel({ maxRequestsPerMinute: 3, pageDirectory: directory });
    const status = async (path: string, given?: object) => (await send(http, path, given)).status;
    for (let n = 0; n < 3; n += 1) expect(await status(n === 1 ? '/?x' : '/')).toBe(200);
    expect(await status('/index.html')).toBe(429);
    // Who reloads the page too often still has all of his own requests, and so has somebody else.
    for (let n = 0; n < 3; n += 1) {
      expect(await status('/v1/permissions', withToken(token))).toBe(200);
      expect(await status(n === 0 ? '/assets/none.js' : '/nowhere')).toBe(404);
    }
    expect(await status('/v1/permissions', withToken(token))).toBe(429);
    expect(await status('/assets/none.js')).toBe(429);
  });

  it('of somebody without the token lock nobody out who has it (16.5)', async () => {
    http = await startChannel({ maxRequestsPerMinute: 5 });
    const begun = await send(http, '/v1/page-session', { method: 'POST', ...withToken(token) });
    const Cookie = String(begun.headers['set-cookie']).split(';', 1)[0] ?? '';
    const { pageKey } = begun.json;
    const turnedAway = async (headers: Record<string, string>) =>
      (await send(http, '/v1/permissions', { headers })).status === 429;
    for (let n = 0; n < 6; n += 1) await send(http, '/healthz');
    expect(await turnedAway({})).toBe(true);
    expect(await turnedAway({ Authorization: 'Bearer guessed' })).toBe(true);
    expect(await turnedAway({ Cookie })).toBe(true);
    expect(await turnedAway({ Cookie, 'X-Turnout-Page': 'guessed' })).toBe(true);
    expect(await turnedAway({ Cookie: `${Cookie}x`, 'X-Turnout-Page': pageKey })).toBe(true);
    expect(await turnedAway({ Authorization: `Bearer ${token}` })).toBe(false);
    expect(await turnedAway({ Cookie, 'X-Turnout-Page': pageKey })).toBe(false);
    expect((await send(http, `/v1/permissions?pageKey=${pageKey}`, { headers: { Cookie } })).status).toBe(
      200,
    );
    // Theirs has an end, too: one was for the session.
    expect(await turnedAway({ Authorization: `Bearer ${token}` })).toBe(false);
    expect(await turnedAway({ Authorization: `Bearer ${token}` })).toBe(true);
  });
});
