import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { directory, type Run, startProgram, url } from './program.js';
import { demoAgent, eventually } from './stage.js';

const onLinux = process.platform === 'linux';

interface Client {
  readonly run: Run;
  readonly port: number;
  call(path: string, body?: object): Promise<{ readonly status: number; readonly text: string }>;
  post(channel: string, text: string): Promise<string>;
  /** The state of the event and its answer, once it has ended. */
  ended(id: string): Promise<unknown>;
  /** Resolves when an agent has begun to print. */
  agentSpeaks(): Promise<void>;
}

async function start(env: Record<string, string> = {}): Promise<Client> {
  const root = directory();
  const run = startProgram(root, {
    ...{ TURNOUT_HOME: join(root, 'home'), BACKEND_CLI_PATH: demoAgent },
    ...{ HTTP_TOKEN: 'a-token-for-the-tests', PATH: process.env['PATH'] ?? '', SHUTDOWN_GRACE_MS: '0' },
    ...env,
  });
  const address = new URL(await url(run));
  const call: Client['call'] = async (path, body) => {
    const headers = { authorization: 'Bearer a-token-for-the-tests', 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(new URL(path, address), { headers, ...sent });
    return { status: response.status, text: await response.text() };
  };
  return {
    run,
    port: Number(address.port),
    call,
    post: async (channel, text) =>
      JSON.parse((await call(`/v1/channels/${channel}/messages`, { text })).text).eventId,
    agentSpeaks: () => eventually(() => outputs(join(root, 'home', 'turns')).some((bytes) => bytes > 0)),
    ended: async (id) => JSON.parse((await call(`/v1/events/${id}?wait=20`)).text),
  };
}

/** The sizes of the files that agents print to. */
function outputs(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  } catch {
    return [];
  }
}

it.runIf(onLinux)(
  'SQLite’s own I/O errors: the result is kept, /readyz says so, and all goes on when they end [fault 13.4: EIO on the disk of a running gateway]',
  async () => {
    const { run, call, post, ended, agentSpeaks } = await start();
    // A write beyond the limit fails inside of SQLite, as one on a broken disk does.
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(run.child.pid), `--fsize=${bytes}:unlimited`]);
    const event = await post('a', 'wait 10 seconds');
    await agentSpeaks();
    limit('1000');
    await eventually(async () => (await call('/readyz')).text.includes('1 result waits to be written'));
    expect((await call('/readyz')).status).toBe(503);
    const refused = await call('/v1/channels/a/messages', { text: 'during' });
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('NOT accepted') });
    limit('unlimited');
    expect(await ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
    await eventually(async () => (await call('/readyz')).status === 200);
    expect((await call('/v1/channels/a/messages?limit=9')).text).not.toContain('during');
    run.child.kill('SIGTERM');
  },
);

it.runIf(onLinux)(
  'silent connections take no file descriptor from the agents [fault 13.4: 400 silent connections, 120 file descriptors]',
  async () => {
    const { run, port, call, post, ended } = await start({ HTTP_MAX_CONNECTIONS: '30' });
    execFileSync('prlimit', ['--pid', String(run.child.pid), '--nofile=120:120']);
    const silent = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await eventually(() => silent.filter(({ closed }) => closed).length > 100);
    expect((await call('/healthz')).status).toBe(200);
    const events = await Promise.all(['a', 'b', 'c'].map((channel) => post(channel, 'say exactly: here')));
    for (const event of events)
      expect(await ended(event)).toMatchObject({ state: 'answered', attempts: 1, responseText: 'here' });
    for (const socket of silent) socket.destroy();
    run.child.kill('SIGTERM');
  },
);

it('SIGSTOP until the turn’s time is over: what the agent has said meanwhile is its answer [fault 13.11: SIGSTOP of a gateway program]', async () => {
  const { run, post, ended, agentSpeaks } = await start({ QUERY_TIMEOUT_MS: '3000' });
  const event = await post('a', 'wait 10 seconds');
  await agentSpeaks();
  run.child.kill('SIGSTOP');
  await sleep(4000);
  run.child.kill('SIGCONT');
  expect(await ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
  run.child.kill('SIGTERM');
});
