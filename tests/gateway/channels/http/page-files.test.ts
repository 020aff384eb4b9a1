import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../../../src/gateway/metrics.js';
import { type Running, startChannel } from './fake-gateway.js';
import { send } from './raw-request.js';

const script = `console.log(${JSON.stringify('x'.repeat(4000))});\n`;
const markup =
  '<!doctype html><title>Turnout</title><script type="module" src="/assets/index-a1.js"></script>';

let root: string;
let http: Running;
let metrics: Metrics;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'turnout-page-'));
  const web = join(root, 'web');
  mkdirSync(join(web, 'assets'), { recursive: true });
  mkdirSync(join(web, '.vite'));
  writeFileSync(join(root, 'secret.txt'), 'hidden words');
  writeFileSync(join(web, 'index.html'), markup);
  writeFileSync(join(web, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(web, 'assets', 'index-a1.js'), script);
  writeFileSync(join(web, 'assets', 'index-a1.css'), 'body{}');
  writeFileSync(join(web, '.vite', 'manifest.json'), '{}');
  symlinkSync(join(root, 'secret.txt'), join(web, 'assets', 'link.txt'));
  metrics = new Metrics();
  http = await startChannel({ pageDirectory: web, metrics });
});
afterAll(async () => {
  await http.channel.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('the page', () => {
  it('is served without a token, and only its own files run in it (16.5)', async () => {
    const { status, headers, body } = await send(http, '/');
    expect([status, body.toString()]).toEqual([200, markup]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(markup.length),
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect((await send(http, '/?x=1')).status).toBe(200);
  });

  it.each([
    ['/assets/index-a1.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/index-a1.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/favicon.svg', 'image/svg+xml', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
  ])('%s is %s (16.4)', async (path, type, caching) => {
    const { status, headers } = await send(http, path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, caching]);
  });

  it('comes compressed to who takes that, each form with a tag of its own (16.4)', async () => {
    const get = (accepted: string) =>
      send(http, '/assets/index-a1.js', { headers: { 'Accept-Encoding': accepted } });
    const [br, gzip, plain] = [await get('gzip, deflate, br'), await get('gzip, br;q=0'), await get('')];
    expect(brotliDecompressSync(br.body).toString()).toBe(script);
    expect(gunzipSync(gzip.body).toString()).toBe(script);
    expect(plain.body.toString()).toBe(script);
    expect([br, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    expect(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers, body } of [br, gzip, plain]) {
      expect([headers.vary, headers['content-length']]).toEqual(['Accept-Encoding', String(body.length)]);
    }
  });

  it('is not sent again to who has it (16.4)', async () => {
    const { headers } = await send(http, '/');
    const etag = headers.etag ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await send(http, '/', { headers: { 'If-None-Match': known } });
      expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await send(http, '/', { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD, and no method that writes (16.4)', async () => {
    const head = await send(http, '/', { method: 'HEAD' });
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(markup.length),
    ]);
    for (const path of ['/', '/assets/index-a1.js']) {
      const answer = await send(http, path, { method: 'POST', body: 'x' });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each([
    ...['/assets/..%2f..%2fsecret.txt', '/assets/../../secret.txt', '/assets/%2e%2e/%2e%2e/secret.txt'],
    ...['/assets/..%5c..%5csecret.txt', '/assets/..\\..\\secret.txt', '/assets//etc/passwd', '//secret.txt'],
    ...['/assets/%00', '/assets/link.txt', '/.vite/manifest.json', '/assets', '/assets/', '/assets/none.js'],
    ...['/assets/index-a1.js%00.html', '/assets/%', '/constructor', '/__proto__'],
  ])('there is nothing at %s (16.5)', async (path) => {
    const answer = await send(http, path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.body.toString()).not.toContain('hidden words');
    expect(answer.json.error.code).toMatch(/^(not_found|bad_request)$/);
  });

  it('is counted by route, not by file (16.4)', async () => {
    const counted = (await metrics.render()).match(/route="[^"]*"/g) ?? [];
    expect(counted).toContain('route="/assets/*"');
    expect(counted.join()).not.toContain('index-a1');
  });
});

describe('without a built page', () => {
  let bare: Running;
  afterEach(() => bare.channel.stop());

  it.each(['missing', 'empty'])('(%s) it says what to do, and the interface works (16.4)', async (name) => {
    mkdirSync(join(root, 'empty'), { recursive: true });
    bare = await startChannel({ pageDirectory: join(root, name) });
    const { status, headers, body } = await send(bare, '/');
    expect([status, headers['content-type']]).toEqual([503, 'text/plain; charset=UTF-8']);
    expect(body.toString()).toContain('npm run build');
    expect((await bare.call('/v1/permissions')).status).toBe(200);
    expect(bare.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'there is no page to serve' }),
    );
  });
});
