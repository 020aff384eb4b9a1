import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { affordableConnections } from '../../../../src/gateway/channels/http/connection-limit.js';
import { eventually } from '../../stage.js';
import { type Running, startChannel, token } from './fake-gateway.js';

const max = 8;
const running: Running[] = [];
const dialled: Socket[] = [];
afterEach(async () => {
  for (const socket of dialled.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map(({ channel }) => channel.stop()));
});

async function start(): Promise<Running> {
  const started = await startChannel({ limits: { maxConnections: max, stopGraceMs: 50 } });
  running.push(started);
  return started;
}

/** Opens connections that send `bytes` and nothing more. */
async function dial({ channel }: Running, count: number, bytes = ''): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(channel.address.port, channel.address.host);
    socket.on('error', () => undefined);
    if (bytes !== '') socket.write(bytes);
    return socket;
  });
  dialled.push(...sockets);
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  return sockets;
}

function get({ channel }: Running, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  return fetch(`http://${channel.address.host}:${channel.address.port}${path}`, { headers });
}

const open = (sockets: readonly Socket[]) => sockets.filter(({ closed }) => !closed).length;

describe('more connections than there may be', () => {
  it.each([
    ['that say nothing', ''],
    ['whose headers never end', 'GET /healthz HTTP/1.1\r\nA: b\r\n'],
    [
      'whose body never ends',
      `POST /v1/channels/a/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])(
    'the oldest %s give way, and others are served [fault 13.4: hundreds of silent connections]',
    async (_what, bytes) => {
      const http = await start();
      const silent = await dial(http, 5 * max, bytes);
      await eventually(() => open(silent) <= max);
      for (const _ of Array(3)) expect((await get(http, '/healthz')).status).toBe(200);
      expect((await get(http, '/v1/channels/a/messages')).status).toBe(200);
    },
  );

  it('of waiting readers the oldest gives way, a message that is being taken never', async () => {
    const http = await start();
    const { event } = await http.gateway.receive({ channel: 'b', source: 'http', text: 'waited for' });
    let take = () => {};
    http.gateway.gate = new Promise((resolve) => {
      take = resolve;
    });
    const { host, port } = http.channel.address;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'hello' });
    const posted = fetch(`http://${host}:${port}/v1/channels/a/messages`, { method: 'POST', headers, body });
    await eventually(() => http.gateway.received.length === 2);
    const request = `GET /v1/events/${event.id}?wait=20 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    await dial(http, 2 * max, request);
    expect((await get(http, '/healthz')).status).toBe(200);
    take();
    expect((await posted).status).toBe(202);
  });
});

it('leaves file descriptors for the store and the agents', () => {
  expect(affordableConnections(256)).toBeLessThanOrEqual(256);
  expect(affordableConnections(10)).toBe(10);
});
