import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Metrics } from '../../../../src/gateway/metrics.js';
import { type Running, startChannel, token } from './fake-gateway.js';

let http: Running;
beforeEach(async () => {
  http = await startChannel();
});
afterEach(() => http.channel.stop());

describe('the token', () => {
  const paths = [
    ['POST', '/v1/channels/room/messages'],
    ['GET', '/v1/channels/room/messages'],
    ['POST', '/v1/channels/a%20b/messages'],
    ['GET', '/v1/events/x'],
    ['GET', '/v1/permissions'],
    ['DELETE', '/v1/permissions'],
    ['OPTIONS', '/v1/permissions'],
    ['HEAD', '/v1/permissions'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/no/such/path'],
    ['GET', '/%76%31/permissions'],
  ] as const;

  it.each(paths)('is needed for %s %s', async (method, path) => {
    const wrong = [
      undefined,
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      token,
      `Basic ${token}`,
      `Bearer ${token} x`,
    ];
    for (const header of wrong) {
      const response = await fetch(`${http.url}${path}`, {
        method,
        headers: header === undefined ? {} : { Authorization: header },
        ...(method === 'POST' ? { body: '{broken' } : {}),
      });
      expect(response.status, `${header}`).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      const text = await response.text();
      if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ error: { code: 'unauthorized' } });
    }
    expect(http.gateway.received).toEqual([]);
  });

  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`])(
    'is accepted as %j',
    async (header) => {
      const answer = await http.call('/v1/permissions', { headers: { Authorization: header } });
      expect(answer).toMatchObject({ status: 200, json: { permissions: [] } });
    },
  );

  it('is not there for browsers of other origins', async () => {
    const answer = await http.call('/v1/permissions', { headers: { Origin: 'https://evil.example' } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    for (const path of ['/v1/permissions', '/nowhere', '/v1/events/none', '/metrics']) {
      const { headers } = await http.call(path);
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
        'no-store',
        'nosniff',
      ]);
    }
  });

  it('must not be empty', async () => {
    await expect(startChannel({ token: '' })).rejects.toThrow('needs a token');
  });
});

describe('paths and methods', () => {
  it.each([
    '/',
    '/v2',
    '/v1/channels/x/y',
    '/v1/chains',
    '/v1/events',
    '/V1/permissions',
    '//v1/permissions',
  ])('has nothing at %s', async (path) => {
    const answer = await http.call(path);
    expect(answer).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
  });

  it.each([
    ['PUT', '/v1/channels/x/messages', 'GET, HEAD, POST'],
    ['GET', '/v1/channels/x/interrupt', 'POST'],
    ['HEAD', '/v1/channels/x/interrupt', 'POST'],
    ['DELETE', '/v1/events/x', 'GET, HEAD'],
    ['POST', '/v1/permissions', 'GET, HEAD'],
    ['PUT', '/v1/permissions/x', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PATCH', '/metrics', 'GET, HEAD'],
  ])('does not do %s %s', async (method, path, allow) => {
    const answer = await http.call(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect(answer.json.error.code).toBe('method_not_allowed');
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await http.call('/v1/permissions', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, json: '' });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
});

describe('without a token', () => {
  const open = async (path: string) => {
    const response = await fetch(`${http.url}${path}`);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };

  it('it lives', async () => {
    expect(await open('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });

  it('it is ready or not; what is wrong is for those with the token [fault 13.9: /readyz tells paths]', async () => {
    expect(await open('/readyz')).toMatchObject({ status: 200, text: '{"ready":true,"problems":[]}' });
    http.gateway.problems = ['EIO: /home/ada/.turnout/turnout.db', 'another'];
    const told = await open('/readyz');
    expect(told).toMatchObject({ status: 503, text: expect.stringContaining('"ready":false') });
    expect(told.text).not.toMatch(/ada|EIO|another/);
    expect(await http.call('/readyz')).toMatchObject({
      status: 503,
      json: { ready: false, problems: http.gateway.problems },
    });
    expect(
      (await http.call('/readyz', { headers: { authorization: 'Bearer wrong' } })).json,
    ).not.toMatchObject({
      problems: http.gateway.problems,
    });
    http.gateway.health = () => Promise.reject(new Error('secret'));
    const broken = await open('/readyz');
    expect(broken.status).toBe(503);
    expect(broken.text).not.toContain('secret');
  });

  it('it is measured', async () => {
    expect(await open('/metrics')).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      text: await http.gateway.metrics(),
    });
  });

  it('requests are counted by route, not by path', async () => {
    const metrics = new Metrics();
    const counted = await startChannel({ metrics });
    for (const path of ['/v1/events/a', '/v1/events/b', '/nowhere', '/healthz']) await counted.call(path);
    await fetch(`${counted.url}/v1/events/a`);
    await counted.channel.stop();
    expect((await metrics.render()).split('\n').slice(2)).toEqual([
      'turnout_http_requests_total{method="GET",route="/v1/events/:eventId",status="404"} 2',
      'turnout_http_requests_total{method="GET",route="other",status="404"} 1',
      'turnout_http_requests_total{method="GET",route="/healthz",status="200"} 1',
      'turnout_http_requests_total{method="GET",route="other",status="401"} 1',
      '',
    ]);
  });
});
