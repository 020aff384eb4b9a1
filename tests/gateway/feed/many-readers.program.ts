import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { directory, type Run, startProgram, url } from '../program.js';
import { eventually } from '../stage.js';

const readers = 200;
const token = 'a-token-for-many-readers';
/** What the agent says; every reader gets all of it. */
const bytes = 512 * 1024;

/** Asks for the channel's stream and counts what comes. One that never reads lets the system's buffers fill. */
async function follow(
  address: URL,
  isPaused = false,
  query = '',
): Promise<{ readonly socket: Socket; bytes: number }> {
  const socket = connect(Number(address.port), address.hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  const reader = { socket, bytes: 0 };
  socket.on('error', () => undefined);
  if (isPaused) socket.pause();
  else
    socket.on('data', (chunk) => {
      reader.bytes += chunk.length;
    });
  socket.write(
    `GET /v1/channels/a/events${query} HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return reader;
}

/** A gateway with a small heap: what hundreds of readers would hold together does not fit into it. */
function startSmall(): Run {
  const env = {
    ...{ HTTP_TOKEN: token, TURNOUT_DEMO_SPEED: '0', HTTP_MAX_REQUESTS_PER_MINUTE: '0', BACKEND_LIVE: '1' },
    NODE_OPTIONS: '--max-old-space-size=256',
  };
  return startProgram(directory(), env, ['--demo']);
}

function residentMb(pid: number | undefined): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

it.runIf(process.platform === 'linux')(
  '200 readers of a channel, and one that never reads: all get everything, and memory stays flat (16, "must show")',
  { timeout: 120_000 },
  async () => {
    const run = startSmall();
    const address = new URL(await url(run));
    const call = async (path: string, body?: unknown) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      // A connection that was kept may be closed by the server at the moment it is used again.
      const headers = { authorization: `Bearer ${token}`, connection: 'close' };
      const response = await fetch(new URL(path, address), { ...init, headers });
      return (await response.json()) as { eventId: string; state: string };
    };
    const answered = async (text: string) => {
      const { eventId } = await call('/v1/channels/a/messages', { text });
      await eventually(async () => (await call(`/v1/events/${eventId}?wait=5`)).state === 'answered');
    };
    const streams = await Promise.all(Array.from({ length: readers }, () => follow(address)));
    await follow(address, true);
    await eventually(() => streams.every((stream) => stream.bytes > 0));
    // The first turn warms everything up; two more of the same size must cost nothing that stays.
    for (let turn = 0; turn < 3; turn++) {
      await answered('write 512 KB of text');
      const expected = (turn + 1) * bytes;
      await eventually(() => streams.every((stream) => stream.bytes > expected));
    }
    const before = residentMb(run.child.pid);
    for (let turn = 0; turn < 3; turn++) await answered('write 512 KB of text');
    await eventually(() => streams.every((stream) => stream.bytes > 6 * bytes));
    // 1.5 MB for each of 201 readers would be 300 MB.
    expect(residentMb(run.child.pid) - before).toBeLessThan(200);
  },
);

it.runIf(process.platform === 'linux')(
  'a hundred that ask for a long turn from its beginning and read none of it cost little memory (16.1, 16.5)',
  { timeout: 120_000 },
  async () => {
    const run = startSmall();
    const address = new URL(await url(run));
    const post = { method: 'POST', body: JSON.stringify({ text: 'write 6 MB of text' }) };
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const response = await fetch(new URL('/v1/channels/a/messages', address), { ...post, headers });
    const { eventId } = (await response.json()) as { eventId: string };
    await eventually(async () => {
      const event = await fetch(new URL(`/v1/events/${eventId}?wait=5`, address), { headers });
      return ((await event.json()) as { state: string }).state === 'answered';
    });
    const silent = await Promise.all(
      Array.from({ length: 100 }, () => follow(address, true, '?after=0.0.ended')),
    );
    // Each has a part of the turn, and nothing of the 12 MB that it would read.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(silent.every(({ bytes: read }) => read === 0)).toBe(true);
    expect((await fetch(new URL('/healthz', address))).status).toBe(200);
    expect(run.child.exitCode).toBeNull();
  },
);
