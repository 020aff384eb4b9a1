import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startChannel, token } from '../gateway/channels/http/fake-gateway.js';
import { send } from '../gateway/channels/http/raw-request.js';

const message = '/v1/channels/room/messages';

/** The least that a page does with the gateway: it signs in, keeps its key, says something and reads it. */
const script = `
const signIn = async () => {
  const found = /^#token=(.+)/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, '', '/');
  const answer = await fetch('/v1/page-session', { method: 'POST', headers: { Authorization: 'Bearer ' + found[1] } });
  localStorage.setItem('pageKey', (await answer.json()).pageKey);
};
const run = async () => {
  await signIn();
  const headers = { 'X-Turnout-Page': localStorage.getItem('pageKey') ?? '' };
  const said = await fetch('${message}', { method: 'POST', headers, body: JSON.stringify({ text: 'hi' }) });
  const read = await fetch('${message}?pageKey=' + headers['X-Turnout-Page']);
  document.title = said.status + ' ' + read.status;
};
run();
`;

/** A server on another port of the same host, such as an agent may start for the user to look at. */
async function startNeighbour(): Promise<{ server: Server; url: string; cookies: string[] }> {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie);
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>neighbour</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cookies };
}

describe('in a real browser', () => {
  let root: string;
  let http: Running;
  let neighbour: Awaited<ReturnType<typeof startNeighbour>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'turnout-browser-'));
    mkdirSync(join(root, 'assets'));
    writeFileSync(
      join(root, 'index.html'),
      '<!doctype html><title>-</title><script type="module" src="/assets/main.js"></script><script>document.title="inline"</script>',
    );
    writeFileSync(join(root, 'assets', 'main.js'), script);
    http = await startChannel({ pageDirectory: root });
    neighbour = await startNeighbour();
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
    });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await http?.channel.stop();
    neighbour?.server.close();
    rmSync(root, { recursive: true, force: true });
  });
  afterEach(async () => {
    await page?.context().close();
    http.gateway.received.length = 0;
  });

  async function signedIn(): Promise<Page> {
    page = await (await browser.newContext()).newPage();
    await page.goto(`${http.url}/#token=${token}`);
    await expect.poll(() => page.title()).toBe('202 200');
    return page;
  }

  it('the page signs in, speaks and reads, and still does after a reload (16.5)', async () => {
    await signedIn();
    expect(page.url()).toBe(`${http.url}/`);
    await page.evaluate(() => {
      document.title = 'before';
    });
    await page.reload();
    await expect.poll(() => page.title()).toBe('202 200');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(http.gateway.received).toHaveLength(2);
  });

  it('a neighbour on another port gets the cookie, and can do nothing with it (16.5)', async () => {
    await signedIn();
    http.gateway.received.length = 0;
    await page.goto(`${neighbour.url}/v1/look`);
    const [cookie = ''] = neighbour.cookies;
    expect(cookie).toMatch(/^turnout-\d+=/);
    const replays = [
      { Cookie: cookie, Origin: http.url },
      { Cookie: cookie, Origin: http.url, 'Sec-Fetch-Site': 'same-origin', 'X-Turnout-Page': 'guess' },
    ];
    for (const headers of replays) {
      expect((await send(http, message, { method: 'POST', body: '{"text":"x"}', headers })).status).toBe(401);
      expect((await send(http, message, { headers })).status).toBe(401);
    }
    // Its page has the browser send the cookie itself, in every way that needs no preflight, and in one that does.
    const seen = await page.evaluate(
      async ([gateway, path]) => {
        const address = `${gateway}${path}`;
        const plain = { method: 'POST', body: '{"text":"x"}', credentials: 'include' } as const;
        const told = (sent: Promise<Response>) => sent.then((answer) => answer.type).catch(() => 'failed');
        const simple = await told(fetch(address, { ...plain, mode: 'no-cors' }));
        const asked = await told(fetch(address, { ...plain, headers: { 'X-Turnout-Page': 'x' } }));
        const read = await told(fetch(address, { credentials: 'include' }));
        return [simple, asked, read];
      },
      [http.url, message],
    );
    // What can be neither read nor loaded is not let through to the page at all.
    expect(seen).toEqual(['failed', 'failed', 'failed']);
    await page.evaluate(
      ([gateway, path]) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = `${gateway}${path}`;
        const field = document.createElement('input');
        [field.name, field.value] = ['{"text":"', '"}'];
        form.append(field);
        document.body.append(form);
        form.submit();
      },
      [http.url, message],
    );
    await expect.poll(() => page.content()).toContain('forbidden');
    expect(http.gateway.received).toEqual([]);
  });

  it('a name that was made to point here is refused, and nobody frames the page (16.5)', async () => {
    page = await (await browser.newContext()).newPage();
    const rebound = await page.goto(http.url.replace('127.0.0.1', 'evil.example'));
    expect(rebound?.status()).toBe(403);
    await page.goto(neighbour.url);
    await page.evaluate((gateway) => {
      const frame = document.createElement('iframe');
      frame.src = `${gateway}/`;
      document.body.append(frame);
      return new Promise((resolve) => {
        frame.onload = resolve;
      });
    }, http.url);
    const framed = page.frames().map((frame) => frame.url());
    expect(framed).not.toContain(`${http.url}/`);
  });
});
