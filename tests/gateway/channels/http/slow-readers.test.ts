import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../../../src/gateway/channels/http/http-channel.js';
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
    const http = await start({ stalledReaderMs: 1200 });
    await http.gateway.receive({ channel: 'room', source: 'http', text: 'x' });
    const stalled = dial(http, longPath);
    const slow = dial(http, longPath);
    let slowBytes = 0;
    slow.socket.on('data', (chunk) => {
      slowBytes += chunk.length;
      slow.socket.pause();
    });
    const closed = new Promise((resolve) => slow.socket.once('close', resolve));
    const reading = setInterval(() => slow.socket.resume(), 4);
    const waiting = await http.call('/v1/events/event-1?wait=1.8');
    expect(waiting).toMatchObject({ status: 200, json: { state: 'queued' } });
    expect(await stalled.all()).toBeLessThan(long.length);
    await closed;
    clearInterval(reading);
    expect(slowBytes).toBeGreaterThan(long.length);
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
