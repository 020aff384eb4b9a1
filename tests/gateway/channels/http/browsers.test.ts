import { connect } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Running, startChannel, token } from './fake-gateway.js';
import { type RawRequest, send } from './raw-request.js';

let http: Running;
let host: string;
beforeEach(async () => {
  http = await startChannel({ allowedHosts: ['agents.example.com'] });
  host = `127.0.0.1:${http.channel.address.port}`;
});
afterEach(() => http.channel.stop());

const bearer = { Authorization: `Bearer ${token}` };

describe('the Host of a request', () => {
  it.each([
    ...['127.0.0.1', '127.0.0.1:8420', '[::1]:1', '192.168.1.5:8420', 'localhost', 'LOCALHOST.:80'],
    ...['app.localhost:3000', 'agents.example.com', 'Agents.Example.com:8443', hostname()],
  ])('may be %s (16.5)', async (name) => {
    expect((await send(http, '/healthz', { headers: { Host: name } })).status).toBe(200);
  });

  it.each([
    ...['evil.example', 'evil.example:8420', '127.0.0.1.evil.example', 'localhost.evil.example'],
    ...['notlocalhost', 'x.agents.example.com', '127.1', '0x7f.0.0.1'],
  ])('is refused as %s, with and without the token: a name can be rebound (16.5)', async (name) => {
    for (const path of ['/', '/healthz', '/metrics', '/v1/permissions', '/nowhere']) {
      const answer = await send(http, path, { headers: { Host: name, ...bearer } });
      expect([answer.status, answer.json.error.code], path).toEqual([403, 'forbidden']);
      expect((await send(http, path, { headers: { Host: name } })).status).toBe(403);
    }
  });

  it('is told apart from what it should be: the message names the setting (16.5)', async () => {
    const answer = await send(http, '/', { headers: { Host: 'Turnout.lan:8420' } });
    expect(answer.json.error.message).toContain('add turnout.lan to HTTP_ALLOWED_HOSTS');
  });

  it('counts as the bound address where there is none; twice, or hidden in the request line, it does not pass (16.5)', async () => {
    const told = (bytes: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(http.channel.address.port, '127.0.0.1', () => socket.write(bytes));
        let text = '';
        socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        socket.once('close', () => resolve(text));
      });
    const close = 'Connection: close\r\n\r\n';
    expect(await told('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    const twice = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${close}`;
    expect(await told(twice)).toMatch(/^HTTP\/1\.1 40[03] /);
    const whole = `GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n${close}`;
    expect(await told(whole)).toMatch(/^HTTP\/1\.1 403 /);
    for (const odd of ['a@localhost', 'localhost:99999', '[::1', 'localhost:80:80', '']) {
      const answer = await told(`GET /healthz HTTP/1.1\r\nHost: ${odd}\r\n${close}`);
      expect(answer, odd).toMatch(odd === '' ? /^HTTP/ : /^HTTP\/1\.1 40[03] /);
    }
  });
});

describe('the origin of a request', () => {
  const foreign = () => [
    'https://evil.example',
    'null',
    'http://127.0.0.1:3000',
    'http://localhost:8420',
    `https://${host}`,
    `http://${host}.evil.example`,
    'https://agents.example.com:9999',
    'http://agents.example.com',
    'https://agents.example.com.evil.example',
  ];

  it('must be its own, also with the token: nobody else’s page may use it (16.5)', async () => {
    for (const Origin of foreign()) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const answer = await send(http, '/v1/permissions', { method, headers: { ...bearer, Origin } });
        expect([answer.status, answer.json?.error.code], `${method} ${Origin}`).toEqual([403, 'forbidden']);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
    const own = { ...bearer, Origin: `http://${host}` };
    expect((await send(http, '/v1/permissions', { headers: own })).status).toBe(200);
  });

  it('may be that of a proxy with https, if its name is allowed (16.5)', async () => {
    const secure = { ...bearer, Origin: 'https://agents.example.com' };
    expect((await send(http, '/v1/permissions', { headers: secure })).status).toBe(200);
    const port = { ...bearer, Host: 'agents.example.com:8443', Origin: 'https://agents.example.com:8443' };
    expect((await send(http, '/v1/permissions', { headers: port })).status).toBe(200);
  });

  it('answers a preflight with nothing that allows it (16.5)', async () => {
    const headers = {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    };
    const answer = await send(http, '/v1/channels/room/messages', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a session of the page', () => {
  const message = '/v1/channels/room/messages';
  let session: { readonly Cookie: string; readonly 'X-Turnout-Page': string };
  let attributes: readonly string[];
  beforeEach(async () => {
    const headers = { ...bearer, Origin: `http://${host}` };
    const { status, headers: got, json } = await send(http, '/v1/page-session', { method: 'POST', headers });
    expect(status).toBe(201);
    const [cookie = '', ...rest] = (got['set-cookie']?.[0] ?? '').split('; ');
    session = { Cookie: cookie, 'X-Turnout-Page': json.pageKey };
    attributes = rest;
  });
  const post = (headers: Record<string, string>, more: RawRequest = {}) =>
    send(http, message, { method: 'POST', body: '{"text":"hi"}', headers, ...more });
  const own = () => ({ ...session, Origin: `http://${host}` });

  it('begins with the token, and is a cookie that no script and no other site gets (16.5)', async () => {
    expect(attributes).toEqual(['Path=/v1', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Strict']);
    expect(session.Cookie).toMatch(new RegExp(`^turnout-${http.channel.address.port}=`));
    expect(JSON.stringify(session)).not.toContain(token);
    const secure = { ...bearer, Host: 'agents.example.com', Origin: 'https://agents.example.com' };
    const { headers } = await send(http, '/v1/page-session', { method: 'POST', headers: secure });
    expect(headers['set-cookie']?.[0]).toMatch(/^turnout=.*; Secure$/);
    for (const wrong of [{}, { Authorization: 'Bearer wrong' }, own()]) {
      expect((await send(http, '/v1/page-session', { method: 'POST', headers: wrong })).status).toBe(401);
    }
  });

  it('reads and writes, from the gateway’s own origin (16.5)', async () => {
    expect((await post(own())).status).toBe(202);
    expect((await post({ ...session, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(202);
    expect((await send(http, message, { headers: session })).status).toBe(200);
    const { 'X-Turnout-Page': pageKey, ...cookie } = session;
    expect((await send(http, `${message}?pageKey=${pageKey}`, { headers: cookie })).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'is of no use to a form of another site, as %s (16.5)',
    async (type) => {
      const forms = [
        { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'http://127.0.0.1:3000', 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null' },
      ];
      for (const form of forms) {
        for (const cookie of [{}, { Cookie: session.Cookie }, session]) {
          const answer = await post({ ...form, ...cookie, 'Content-Type': type });
          expect(answer.status, JSON.stringify(form)).toBe(403);
        }
      }
      expect((await post({ 'Content-Type': type })).status).toBe(401);
      expect(http.gateway.received).toEqual([]);
    },
  );

  it('must tell where a request that changes something comes from (16.5)', async () => {
    expect((await post(session)).json).toMatchObject({ error: { code: 'forbidden' } });
    expect(http.gateway.received).toEqual([]);
  });

  it('reads nothing for another site, nor for another port of the same host (16.5)', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const headers = { ...session, 'Sec-Fetch-Site': site };
      expect((await send(http, message, { headers })).status).toBe(403);
    }
  });

  it('needs both halves: a server on another port, which gets the cookie too, can’t use it (16.5)', async () => {
    const { Cookie } = session;
    const other = await send(http, '/v1/page-session', { method: 'POST', headers: bearer });
    for (const key of ['', 'x', other.json.pageKey]) {
      const headers = { Cookie, 'X-Turnout-Page': key, Origin: `http://${host}` };
      expect((await post(headers)).status, key).toBe(401);
      expect((await send(http, message, { headers })).status).toBe(401);
    }
    expect((await post({ 'X-Turnout-Page': session['X-Turnout-Page'] })).status).toBe(401);
    // In the address the key would be in histories and logs: it is taken from there for reading only.
    const address = `${message}?pageKey=${session['X-Turnout-Page']}`;
    const headers = { Cookie, Origin: `http://${host}` };
    expect((await send(http, address, { method: 'POST', body: '{"text":"hi"}', headers })).status).toBe(401);
  });

  it('is no token, and a token is no session (16.5)', async () => {
    const value = session.Cookie.slice(session.Cookie.indexOf('=') + 1);
    for (const guess of [value, session['X-Turnout-Page']]) {
      const headers = { Authorization: `Bearer ${guess}` };
      expect((await send(http, message, { headers })).status).toBe(401);
    }
    const cookie = `turnout-${http.channel.address.port}=${token}`;
    expect((await send(http, message, { headers: { ...session, Cookie: cookie } })).status).toBe(401);
  });

  it('survives a cookie of the same name from another port, and ends with the token (16.5)', async () => {
    const name = session.Cookie.split('=')[0];
    const tossed = `${name}=rubbish; ${session.Cookie}; ${name}=x.y.z`;
    expect((await send(http, message, { headers: { ...session, Cookie: tossed } })).status).toBe(200);
    const again = await startChannel({ token: `${token}-2` });
    const cookie = session.Cookie.replace(/-\d+=/, `-${again.channel.address.port}=`);
    const kept = await send(again, message, { headers: { ...session, Cookie: cookie } });
    await again.channel.stop();
    expect(kept.status).toBe(401);
  });

  it('is ended by the page (16.5)', async () => {
    const answer = await send(http, '/v1/page-session', { method: 'DELETE', headers: own() });
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^turnout-\d+=; Path=\/v1; Max-Age=0;/);
  });
});

it('an answer can’t be framed, run or read by another origin (16.5)', async () => {
  for (const path of ['/v1/permissions', '/healthz', '/nowhere']) {
    const { headers } = await send(http, path, { headers: bearer });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  }
});
