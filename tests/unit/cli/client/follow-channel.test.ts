import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChannelEntry, followChannel } from '../../../../src/cli/client/follow-channel.js';
import { TurnoutError } from '../../../../src/core/errors.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A gateway that answers its connections one after the other as it is told. */
async function serve(...answers: readonly Answer[]) {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['last-event-id'] as string | undefined);
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, locate: async () => ({ base: `http://127.0.0.1:${port}`, token: 't' }) };
}

const stream =
  (text: string, end = true): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (end) response.end(text);
    else response.write(text);
  };

const refuse =
  (status: number): Answer =>
  (_, response) => {
    response.writeHead(status).end(JSON.stringify({ error: { code: 'x', message: `no: ${status}` } }));
  };

const said = (id: number) => `event: said\nid: ${id}.0.ended\ndata: {"id":"${id}"}\n\n`;

const times = { firstPauseMs: 1, longestPauseMs: 2, silenceMs: 5000 };

/** Follows until there are so many entries. */
async function follow(
  locate: Parameters<typeof followChannel>[0],
  count: number,
  more: Partial<Parameters<typeof followChannel>[2]> = {},
): Promise<string[]> {
  const stop = new AbortController();
  const entries: string[] = [];
  for await (const entry of followChannel(locate, 'main', { signal: stop.signal, times, ...more })) {
    entries.push(nameOf(entry));
    if (entries.length === count) stop.abort();
  }
  return entries;
}

function nameOf(entry: ChannelEntry): string {
  if (entry.type === 'said') return `said ${entry.message.id}`;
  return entry.type === 'connected' && entry.again ? 'connected again' : entry.type;
}

describe('a channel that is followed (18.5)', () => {
  it('goes on behind the last id, over as many connections as it takes', async () => {
    const { seen, locate } = await serve(
      stream(`id: 0.0.ended\n\n${said(1)}${said(2)}event: said\nid: 3`),
      refuse(503),
      (request) => request.socket.destroy(),
      stream(said(3), false),
    );
    expect(await follow(locate, 6)).toEqual([
      ...['connected', 'said 1', 'said 2', 'lost'],
      ...['connected again', 'said 3'],
    ]);
    expect(seen).toEqual([undefined, '2.0.ended', '2.0.ended', '2.0.ended']);
  });

  it('that nothing has happened in yet has a place to go on from, too', async () => {
    const { seen, locate } = await serve(stream('id: 7.0.ended\n\n'), stream(said(8), false));
    expect(await follow(locate, 4)).toEqual(['connected', 'lost', 'connected again', 'said 8']);
    expect(seen).toEqual([undefined, '7.0.ended']);
  });

  it('finds a gateway that comes back elsewhere', async () => {
    const first = await serve(stream(said(1)));
    const second = await serve(stream(said(2), false));
    const places = [first.locate, failing, second.locate];
    const locate = () => (places.shift() ?? second.locate)();
    expect(await follow(locate, 5)).toEqual(['connected', 'said 1', 'lost', 'connected again', 'said 2']);
    expect(second.seen).toEqual(['1.0.ended']);
  });

  it('is given up at once if it can’t be begun, or the token is refused', async () => {
    await expect(follow(failing, 1)).rejects.toThrow('No gateway');
    await expect(follow((await serve(refuse(401))).locate, 1)).rejects.toThrow('does not take the token');
    const { locate } = await serve(stream(said(1)), refuse(401));
    await expect(follow(locate, 9)).rejects.toThrow('does not take the token');
  });

  it('is given up when the patience is over', async () => {
    const { locate } = await serve(stream(said(1)), refuse(503));
    await expect(follow(locate, 99, { patienceMs: 20 })).rejects.toThrow('no: 503');
  });

  it('that is silent for too long is connected to again', async () => {
    const { locate } = await serve(stream(said(1), false), stream(said(2), false));
    // Far longer than a busy machine needs for a first line.
    const impatient = { ...times, silenceMs: 3000 };
    expect(await follow(locate, 5, { times: impatient })).toEqual([
      ...['connected', 'said 1', 'lost', 'connected again', 'said 2'],
    ]);
  });
});

async function failing(): Promise<never> {
  throw new TurnoutError('network', 'No gateway is running.');
}
