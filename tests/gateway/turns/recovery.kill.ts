import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { directory, exitCode, type Run, startProgram, url } from '../program.js';
import { demoAgent, eventually, setUpGateway } from '../stage.js';
import { storedTurns } from './stored-turns.js';

const headers = { authorization: 'Bearer a-token-for-the-tests', 'content-type': 'application/json' };

async function call(at: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await (await fetch(at + path, { headers, ...post })).json()) as Record<string, unknown>;
}

async function kill(run: Run): Promise<void> {
  run.child.kill('SIGKILL');
  await exitCode(run);
}

async function stop(run: Run): Promise<void> {
  run.child.kill('SIGTERM');
  expect(await exitCode(run)).toBe(0);
}

const env = { BACKEND_CLI_PATH: demoAgent, HTTP_TOKEN: 'a-token-for-the-tests' };

const unfinished =
  /unless the next message asks for it again[\s\S]*<message from="user" status="not finished">\nrun the deployment\n<\/message>\n<message from="gateway">\nThe gateway ended.*tools had begun:\n- Bash .*deploy/;

describe('a turn that was broken off after its tools had begun', () => {
  it('is told to the agent as what it is: not finished, and not to be done', async () => {
    const stage = setUpGateway({ LOG_LEVEL: 'debug' });
    const store = await openSqliteStore(join(stage.home, databaseFile));
    const event = {
      channel: 'a',
      source: 'http',
      kind: 'prompt',
      text: 'run the deployment',
      at: 1,
    } as const;
    await store.accept(event, { maxWaiting: 9 });
    const [claim] = await store.claim({ worker: 'dead', now: 1, leaseUntil: 1, limit: 1 });
    if (claim === undefined) throw new Error('There is nothing to claim.');
    const tool = { id: 't1', name: 'Bash', input: { command: './deploy' }, at: 1 };
    await store.journal(claim.lease, { type: 'tool_started', ...tool });
    await store.close();
    const client = await stage.start();
    expect(await client.ended(claim.event.id)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    const { eventId } = await client.ask('a', 'hello');
    expect((await storedTurns(stage, eventId)).at(-1)?.setup?.prompt.seededMessages).toBe(2);
    const given = stage.log.filter(({ direction, type }) => direction === 'out' || type === 'spawn');
    expect(JSON.stringify(given).replaceAll('\\n', '\n').replaceAll('\\"', '"')).toMatch(unfinished);
  });
});

describe('kill -9 between the prompt and the note of its session', () => {
  const silentClaude = fileURLToPath(new URL('../../fixtures/programs/silent-claude.mjs', import.meta.url));
  const live = { ...env, BACKEND_CLI_PATH: silentClaude, BACKEND_LIVE: '1', RETRY_DELAY_MS: '20' };
  const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');

  it.each([
    ['the tool is found in a new session', [], 'run silently', '- Bash'],
    ['the tool is found in another session than the resumed one', ['hello'], 'run silently', '- Bash'],
    [
      'the tool is found in the session that follows a lost one',
      ['hello'],
      'crash, then run silently',
      '- Bash',
    ],
    ['a CLI without any record may have begun tools', [], 'keep no record', 'tools may have begun'],
  ])('%s: the turn is not run again', async (_what, before, text, told) => {
    const root = directory();
    const effects = () => {
      const file = join(root, 'work', 'effects');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    const run = startProgram(root, { ...live, PATH });
    const at = await url(run);
    for (const earlier of before) {
      const { eventId } = await call(at, '/v1/channels/a/messages', { text: earlier });
      expect(await call(at, `/v1/events/${eventId}?wait=60`)).toMatchObject({ responseText: 'done' });
    }
    const { eventId } = await call(at, '/v1/channels/a/messages', { text });
    await expect.poll(effects).toBe('ran\n');
    await kill(run);
    const again = startProgram(root, { ...live, PATH });
    const event = await call(await url(again), `/v1/events/${eventId}?wait=60`);
    expect(event).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect(effects()).toBe('ran\n');
    const { messages } = await call(await url(again), '/v1/channels/a/messages');
    expect(JSON.stringify(messages)).toContain(told);
    await stop(again);
  });
});

describe('kill -9, five times in a row', () => {
  it('a message without tools is answered all the same', async () => {
    const root = directory();
    const slow = { ...env, TURNOUT_DEMO_SPEED: '1' };
    let run = startProgram(root, slow);
    const posted = await call(await url(run), '/v1/channels/a/messages', { text: 'wait 100 seconds' });
    const path = `/v1/events/${posted['eventId']}`;
    for (let crash = 0; crash < 5; crash += 1) {
      const at = await url(run);
      await eventually(async () => (await call(at, path))['state'] === 'running');
      await kill(run);
      run = startProgram(root, crash < 4 ? slow : { ...env, TURNOUT_DEMO_SPEED: '1000' });
    }
    expect(await call(await url(run), `${path}?wait=20`)).toMatchObject({ state: 'answered' });
    await stop(run);
  });

  it('a question that waits for its answer is still there, and the answer counts', async () => {
    const root = directory();
    const asking = { ...env, PERMISSION_MODE: 'ask' };
    let run = startProgram(root, asking);
    const body = { text: 'write a note: at last' };
    const posted = await call(await url(run), '/v1/channels/a/messages', body);
    const path = `/v1/events/${posted['eventId']}`;
    const pending = async (at: string) =>
      (await call(at, '/v1/permissions'))['permissions'] as readonly { id: string }[];
    const asked = new Set<string>();
    for (let crash = 0; crash < 5; crash += 1) {
      const at = await url(run);
      await eventually(async () => (await pending(at)).length === 1);
      for (const { id } of await pending(at)) asked.add(id);
      await eventually(async () => (await call(at, path))['state'] === 'running');
      await kill(run);
      run = startProgram(root, asking);
    }
    const at = await url(run);
    const [id] = asked;
    expect(asked.size).toBe(1);
    await call(at, `/v1/permissions/${id}`, { decision: 'allow' });
    expect(await call(at, `${path}?wait=20`)).toMatchObject({ state: 'answered' });
    expect(existsSync(join(root, 'work', 'demo-note.txt'))).toBe(true);
    await stop(run);
  });
});
