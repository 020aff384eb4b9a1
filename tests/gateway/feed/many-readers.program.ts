import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { directory, type Run, startProgram, url } from '../program.js';
import { eventually } from '../stage.js';

const readers = 200;
const token = 'a-token-for-many-readers';
/** What the agent says; every reader gets all of it. */
const bytes = 512 * 1024;
/** Hundreds of megabytes go to all readers together. */
const muchMs = 100_000;

/** Asks for the channel's stream and counts what comes. One that does not read lets the system's buffers fill. */
async function follow(address: URL, isPaused = false, query = ''): Promise<Reader> {
  const socket = connect(Number(address.port), address.hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  const reader = { socket, bytes: 0 };
  socket.on('error', () => undefined);
  if (isPaused) socket.pause();
  else read(reader);
  socket.write(
    `GET /v1/channels/a/events${query} HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return reader;
}

interface Reader {
  readonly socket: Socket;
  bytes: number;
}

function read(reader: Reader): void {
  reader.socket.on('data', (chunk) => {
    reader.bytes += chunk.length;
  });
  reader.socket.resume();
}

const tellMemory = fileURLToPath(new URL('../../fixtures/programs/tell-memory.cjs', import.meta.url));

/** A gateway with a small heap: what hundreds of readers would hold together does not fit into it. */
function startSmall(): SmallGateway {
  const root = directory();
  const memoryFile = join(root, 'memory.json');
  const env = {
    MEMORY_FILE: memoryFile,
    ...{ HTTP_TOKEN: token, TURNOUT_DEMO_SPEED: '0', HTTP_MAX_REQUESTS_PER_MINUTE: '0', BACKEND_LIVE: '1' },
    NODE_OPTIONS: `--max-old-space-size=256 --require ${tellMemory}`,
  };
  const run = startProgram(root, env, ['--demo']);
  const heldMb = async () => {
    rmSync(memoryFile, { force: true });
    run.child.kill('SIGUSR2');
    await eventually(() => existsSync(memoryFile));
    const { heapUsed, external } = JSON.parse(readFileSync(memoryFile, 'utf8')) as NodeJS.MemoryUsage;
    return (heapUsed + external) / 2 ** 20;
  };
  return { run, heldMb };
}

interface SmallGateway {
  readonly run: Run;
  /** What the gateway holds when its garbage is gone. The system counts that too, and how much there is depends on Node. */
  heldMb(): Promise<number>;
}

it.runIf(process.platform === 'linux')(
  '200 readers of a channel, and one that never reads: all get everything, and memory stays flat (16, "must show")',
  { timeout: 400_000 },
  async () => {
    const { run, heldMb } = startSmall();
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
    const before = await heldMb();
    for (let turn = 1; turn <= 3; turn++) {
      await answered('write 512 KB of text');
      // The text comes in pieces, and again as a message.
      await eventually(() => streams.every((stream) => stream.bytes > 2 * turn * bytes), muchMs);
      // The last thing that each of them was told would be 100 MB.
      expect((await heldMb()) - before).toBeLessThan(40);
    }
  },
);

it.runIf(process.platform === 'linux')(
  'a hundred that ask for a long turn from its beginning and read none of it cost little memory (16.1, 16.5)',
  { timeout: 400_000 },
  async () => {
    const { run, heldMb } = startSmall();
    const address = new URL(await url(run));
    const post = { method: 'POST', body: JSON.stringify({ text: 'write 6 MB of text' }) };
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const response = await fetch(new URL('/v1/channels/a/messages', address), { ...post, headers });
    const { eventId } = (await response.json()) as { eventId: string };
    await eventually(async () => {
      const event = await fetch(new URL(`/v1/events/${eventId}?wait=5`, address), { headers });
      return ((await event.json()) as { state: string }).state === 'answered';
    });
    const before = await heldMb();
    const silent = await Promise.all(
      Array.from({ length: 100 }, () => follow(address, true, '?after=0.0.ended')),
    );
    // Each has a part of the turn, and nothing of the 12 MB that it would read.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect((await fetch(new URL('/healthz', address))).status).toBe(200);
    expect((await heldMb()) - before).toBeLessThan(60);
    expect(run.child.exitCode).toBeNull();
    // They were served all the same: each has a part of the turn, and those that didn't give way get all of it once they
    // read. Only a few do: a gigabyte for all of them would keep a busy machine longer than the test waits.
    const awake = silent.slice(0, 5);
    for (const reader of awake) read(reader);
    await eventually(() => awake.every((reader) => reader.bytes > 64 * 1024));
    await eventually(() => awake.some((reader) => reader.bytes > 12 * 2 ** 20), muchMs);
  },
);
