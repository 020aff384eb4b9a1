import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { TurnoutError } from '../../../../src/core/errors.js';
import { HttpChannel, type HttpChannelOptions } from '../../../../src/gateway/channels/http/http-channel.js';
import { MemoryGateway, type Running, startChannel, token } from './fake-gateway.js';

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ channel }) => channel.stop()));
});

async function start(options: Partial<HttpChannelOptions> = {}): Promise<Running> {
  const started = await startChannel(options);
  running.push(started);
  return started;
}

/** A plain connection: `said` is all that came until it was closed. */
function dial({ channel }: Running): { socket: Socket; said: Promise<string> } {
  const socket = connect(channel.address.port, channel.address.host);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  socket.on('error', () => undefined);
  const said = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, said };
}

const head = (line: string, ...more: string[]) =>
  [line, 'Host: localhost', `Authorization: Bearer ${token}`, ...more, '', ''].join('\r\n');
const postHead = (...more: string[]) => head('POST /v1/channels/room/messages HTTP/1.1', ...more);

describe('requests as bytes', () => {
  it('answers what is no HTTP in JSON', async () => {
    const http = await start();
    const { socket, said } = dial(http);
    socket.write('GARBAGE\r\n\r\n');
    expect(await said).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n{"error":{"code":"bad_request"/s);
  });

  it('answers headers without end', async () => {
    const { socket, said } = dial(await start());
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(20_000)}`);
    expect(await said).toMatch(/^HTTP\/1\.1 431 .*{"error":{"code":"too_large"/s);
  });

  it('answers an address that is none', async () => {
    const { socket, said } = dial(await start());
    socket.write('GET /v1\\x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await said).toMatch(/^HTTP\/1\.1 400 .*{"error":{"code":"bad_request"/s);
  });

  it('takes HTTP/1.0, pipelined requests and a body in pieces', async () => {
    const http = await start();
    const old = dial(http);
    old.socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await old.said).toMatch(/200 OK/);
    const { socket, said } = dial(http);
    socket.write(
      `${head('GET /healthz HTTP/1.1')}${postHead('Transfer-Encoding: chunked')}8\r\n{"text":\r\n`,
    );
    await sleep(20);
    socket.write(`4\r\n"hi"\r\n1\r\n}\r\n0\r\n\r\n${head('GET /healthz HTTP/1.1', 'Connection: close')}`);
    expect((await said).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 202', 'HTTP/1.1 200']);
    expect(http.gateway.received).toMatchObject([{ text: 'hi' }]);
  });

  it('keeps the order of messages in one connection', async () => {
    const http = await start();
    const { socket, said } = dial(http);
    for (let n = 1; n <= 20; n++) {
      const body = JSON.stringify({ text: `${n}` });
      const last = n === 20 ? ['Connection: close'] : [];
      socket.write(`${postHead(`Content-Length: ${body.length}`, ...last)}${body}`);
    }
    expect((await said).match(/event-\d+","state/g)).toHaveLength(20);
    expect(http.gateway.received.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  it('refuses a body that is too large: announced, and as it comes', async () => {
    const http = await start({ limits: { maxBodyBytes: 1000 } });
    const announced = dial(http);
    announced.socket.write(postHead('Content-Length: 100000000', 'Connection: close'));
    expect(await announced.said).toMatch(/^HTTP\/1\.1 413 .*"too_large".*1000 bytes/s);
    const growing = dial(http);
    growing.socket.write(postHead('Transfer-Encoding: chunked', 'Connection: close'));
    for (let n = 0; n < 3; n++) growing.socket.write(`190\r\n${' '.repeat(400)}\r\n`);
    expect(await growing.said).toMatch(/^HTTP\/1\.1 413 /);
    const fits = { text: 'x'.repeat(1000 - '{"text":""}'.length) };
    expect((await http.call('/v1/channels/room/messages', { method: 'POST', body: fits })).status).toBe(202);
    const over = { text: `${fits.text}x` };
    expect((await http.call('/v1/channels/room/messages', { method: 'POST', body: over })).status).toBe(413);
  });

  it('gives the 401 before the body has come', async () => {
    const { socket, said } = dial(await start());
    socket.write('POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\nConnection: close\r\n\r\n');
    expect(await said).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('takes no half message', async () => {
    const http = await start();
    const { socket } = dial(http);
    socket.write(`${postHead('Content-Length: 50')}{"text":"cut"}`);
    await sleep(30);
    socket.destroy();
    const chunked = dial(http);
    chunked.socket.write(`${postHead('Transfer-Encoding: chunked')}e\r\n{"text":"cut"}\r\nzz\r\n`);
    expect(await chunked.said).toMatch(/^HTTP\/1\.1 400 /);
    await sleep(30);
    expect(http.gateway.received).toEqual([]);
    expect(http.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('never answers the request behind the one that waits', async () => {
    const http = await start();
    await http.gateway.receive({ channel: 'room', source: 'http', text: 'x' });
    const { socket, said } = dial(http);
    socket.write(`${head('GET /v1/events/event-1?wait=30 HTTP/1.1')}GARBAGE\r\n\r\n`);
    expect(await said).toBe('');
  });

  it('lets go of a sender that is too slow', async () => {
    const http = await start({ limits: { headersTimeoutMs: 200, requestTimeoutMs: 400 } });
    const slowHead = dial(http);
    slowHead.socket.write('GET /healthz HTTP/1.1\r\nHost');
    const slowBody = dial(http);
    slowBody.socket.write(`${postHead('Content-Length: 50')}{"te`);
    expect(await slowHead.said).toMatch(/^HTTP\/1\.1 408 .*"timeout"/s);
    expect(await slowBody.said).toMatch(/^HTTP\/1\.1 408 .*"timeout"/s);
    expect(http.gateway.received).toEqual([]);
  });
});

describe('starting and stopping', () => {
  it('says what keeps it from listening', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const failure = await startChannel({ port }).catch((error: unknown) => error);
    taken.close();
    expect(failure).toBeInstanceOf(TurnoutError);
    expect((failure as TurnoutError).explanation).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port}: it is in use.*HTTP_PORT`, 's'),
    );
    await expect(startChannel({ host: '192.0.2.1' })).rejects.toThrow(
      '192.0.2.1:0: this machine has no such address',
    );
  });

  it('has an address only while it is started', async () => {
    const channel = new HttpChannel({ host: '127.0.0.1', port: 0, token, log: noLog });
    expect(() => channel.address).toThrow('before it has started');
    await channel.stop();
    const http = await start();
    expect(http.channel.address).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
  });

  it('warns when others can reach it', async () => {
    const local = await start();
    const open = await start({ host: '0.0.0.0' });
    expect(local.lines.filter((line) => line.level === 'warn')).toEqual([]);
    expect(open.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
  });

  it('lets a running request end, takes no new ones, and closes what is idle', async () => {
    const http = await start({ limits: { stopGraceMs: 60_000 } });
    let open = () => {};
    http.gateway.gate = new Promise((resolve) => {
      open = resolve;
    });
    const idle = dial(http);
    idle.socket.write(head('GET /healthz HTTP/1.1'));
    const silent = dial(http);
    const answer = http.call('/v1/channels/room/messages', { method: 'POST', body: { text: 'x' } });
    await expect.poll(() => http.gateway.received.length).toBe(1);
    const began = performance.now();
    const stopped = http.channel.stop();
    await Promise.all([idle.said, silent.said]);
    await expect(fetch(`${http.url}/healthz`)).rejects.toThrow();
    open();
    expect(await answer).toMatchObject({ status: 202 });
    await stopped;
    expect(performance.now() - began).toBeLessThan(30_000);
    await http.channel.stop();
  });

  it('waits no longer than the grace period', async () => {
    const http = await start({ limits: { stopGraceMs: 100 } });
    http.gateway.gate = new Promise(() => {});
    const answer = http
      .call('/v1/channels/room/messages', { method: 'POST', body: { text: 'x' } })
      .catch(() => 'cut');
    await expect.poll(() => http.gateway.received.length).toBe(1);
    await http.channel.stop();
    expect(await answer).toBe('cut');
  });

  it('starts once', async () => {
    const http = await start();
    await expect(http.channel.start(new MemoryGateway())).rejects.toThrow('twice');
  });
});
