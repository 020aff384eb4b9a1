import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from './program.js';
import { demoAgent, eventually } from './stage.js';

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
    const asking = { ...env, PERMISSION_MODE: 'ask', WORKING_DIR: root };
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
    expect(existsSync(join(root, 'demo-note.txt'))).toBe(true);
    await stop(run);
  });
});
