import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../../src/config/log.js';
import type { HttpLimits } from '../../../../src/gateway/channels/http/http-channel.js';
import { createHttpServer } from '../../../../src/gateway/channels/http/http-server.js';
import { MemoryGateway, type Running, startChannel, token } from './fake-gateway.js';

const running: Running[] = [];
const dialled: Socket[] = [];
afterEach(async () => {
  for (const socket of dialled.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map(({ channel }) => channel.stop()));
});

/** More than the system's buffers of a connection take. */
const long = 'x'.repeat(12_000_000);

class LongGateway extends MemoryGateway {
  atOnce = 0;
  most = 0;
  served = 0;

  constructor() {
    super();
    this.say({ channel: 'long', eventId: undefined, role: 'assistant', text: long } as never);
  }

  override async messages(channel: string, page: { after?: number; limit: number }) {
    this.atOnce += 1;
    this.most = Math.max(this.most, this.atOnce);
    await sleep(1);
    this.atOnce -= 1;
    this.served += 1;
    return super.messages(channel, page);
  }
}

async function start(limits: Partial<HttpLimits>): Promise<Running & { readonly gateway: LongGateway }> {
  const gateway = new LongGateway();
  const started = await startChannel({ limits: { stopGraceMs: 50, ...limits } }, gateway);
  running.push(started);
  return { ...started, gateway };
}

/** Asks, and reads nothing before `all` is called: it resolves with the number of bytes that came. */
function dial({ channel }: Running, path: string, times = 1): { socket: Socket; all(): Promise<number> } {
  const socket = connect(channel.address.port, channel.address.host);
  dialled.push(socket);
  socket.on('error', () => undefined);
  socket.pause();
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${`${head}\r\n`.repeat(times - 1)}${head}Connection: close\r\n\r\n`);
  const all = () =>
    new Promise<number>((resolve) => {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      socket.once('close', () => resolve(bytes));
      socket.resume();
    });
  return { socket, all };
}

/** Connects and asks, and reads nothing. */
function ask(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1');
  dialled.push(socket);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

/** Serves an answer without an end, which no buffer takes, and one that is given when the test likes. */
async function startEndless(stalledReaderMs: number) {
  let letAnswer = (): void => undefined;
  const answer = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  const piece = Buffer.alloc(64 * 1024, 'x');
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
  const limits = {
    ...{ headersTimeoutMs: 10_000, requestTimeoutMs: 60_000, maxConnections: 10 },
    ...{ stalledReaderMs, maxUnreadBytes: 2 ** 30 },
  };
  const { server, close } = createHttpServer(
    async ({ url }) => {
      if (url.endsWith('/endless')) return new Response(endless());
      await answer;
      return new Response('an answer');
    },
    { host: '127.0.0.1', limits, log: createLog('error', () => undefined) },
  );
  onTestFinished(() => close(0));
  server.listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await once(server, 'listening');
  return { sockets, port: (server.address() as AddressInfo).port, letAnswer };
}

const longPath = '/v1/channels/long/messages';

describe('clients that do not read', () => {
  it('give way when too much waits for them; others get their answers (16.5)', async () => {
    const http = await start({ maxUnreadBytes: long.length * 2 });
    const silent = [];
    for (let n = 1; n <= 5; n += 1) {
      silent.push(dial(http, longPath));
      await expect.poll(() => http.gateway.served, { interval: 2 }).toBe(n);
    }
    await sleep(20);
    expect(await dial(http, longPath).all()).toBeGreaterThan(long.length);
    const whole = (await Promise.all(silent.map(({ all }) => all()))).filter((bytes) => bytes > long.length);
    expect(whole.length).toBeGreaterThanOrEqual(1);
    expect(whole.length).toBeLessThanOrEqual(3);
  });

  it('are let go after a while, but not who waits, or reads slowly (16.5)', async () => {
    const { sockets, port, letAnswer } = await startEndless(600);
    const [stalled, slow] = [ask(port, '/endless'), ask(port, '/endless')];
    const waiting = fetch(`http://127.0.0.1:${port}/wait`);
    const served = async (client: Socket): Promise<Socket> => {
      await expect.poll(() => sockets.find((socket) => socket.remotePort === client.localPort)).toBeDefined();
      return sockets.find((socket) => socket.remotePort === client.localPort) as Socket;
    };
    const [stalledThere, slowThere] = [await served(stalled), await served(slow)];
    let slowBytes = 0;
    slow.on('data', (chunk) => {
      slowBytes += chunk.length;
      slow.pause();
    });
    const reading = setInterval(() => slow.resume(), 10);
    // The server's side: what the system keeps of an answer could be read much later.
    if (!stalledThere.destroyed) await once(stalledThere, 'close');
    const before = slowBytes;
    await expect.poll(() => slowBytes, { interval: 5 }).toBeGreaterThan(before);
    clearInterval(reading);
    expect(slowThere.destroyed).toBe(false);
    letAnswer();
    expect((await waiting).status).toBe(200);
  });

  it('get the answers to what they send at once one by one; hundreds are not taken (16.5)', async () => {
    const http = await start({});
    const short = '/v1/channels/short/messages';
    await dial(http, short, 50).all();
    expect(http.gateway).toMatchObject({ served: 50, most: 1 });
    await dial(http, short, 300).all();
    expect(http.gateway.served).toBeLessThan(200);
    expect((await http.call(short)).status).toBe(200);
  });
});
