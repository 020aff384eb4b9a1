import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programPath } from '../../contract/stage.js';
import { type Client, eventually, type GatewayStage, setUpGateway } from '../stage.js';

interface PermissionView {
  readonly id: string;
  readonly channel: string;
  readonly eventId: string;
  readonly tool: string;
  readonly options: readonly string[];
}

async function pending(client: Client): Promise<readonly PermissionView[]> {
  return ((await client.call('/v1/permissions')) as { permissions: PermissionView[] }).permissions;
}

async function theOne(client: Client): Promise<PermissionView> {
  await eventually(async () => (await pending(client)).length === 1);
  const [request] = await pending(client);
  if (request === undefined) throw new Error('There is none.');
  return request;
}

function note(stage: GatewayStage): boolean {
  return existsSync(join(stage.work, 'demo-note.txt'));
}

describe('permissions in ask mode', () => {
  it('allowed: the tool runs, and the channel was told what is waiting', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask' });
    const client = await stage.start();
    const event = await client.post('a', 'write a note: allowed');
    const request = await theOne(client);
    expect(request).toMatchObject({ channel: 'a', eventId: event, tool: 'Write' });
    expect(note(stage)).toBe(false);
    expect((await client.messages('a')).at(-1)?.text).toContain(request.id);
    await client.call(`/v1/permissions/${request.id}`, { body: { decision: 'allow' } });
    expect((await client.ended(event)).state).toBe('answered');
    expect(note(stage)).toBe(true);
    expect(await pending(client)).toEqual([]);
    const again = client.call(`/v1/permissions/${request.id}`, { body: { decision: 'allow' } });
    await expect(again).rejects.toThrow(/409/);
  });

  it('an agent that asks for ever is ended, and says why [fault 13.9: endless permission requests]', async () => {
    const stage = setUpGateway({
      PERMISSION_MODE: 'ask',
      BACKEND_CLI_PATH: programPath('insistent-agent.mjs'),
      ASKS: '20000',
      MAX_PERMISSION_REQUESTS: '20',
    });
    const client = await stage.start();
    const event = await client.ask('a', 'write a note: never');
    expect(event).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { message: expect.stringContaining('more than 20 permissions in one turn') },
    });
    expect(note(stage)).toBe(false);
    expect(await pending(client)).toEqual([]);
    // The channel has the prompt, each question that was asked, and the end.
    expect(await client.messages('a')).toHaveLength(22);
    expect((await client.ask('a', '/status')).state).toBe('answered');
  });

  it('an agent that asks for ever for what a hook refuses is ended, too [fault 13.9: endless refused permissions]', async () => {
    const stage = setUpGateway({
      BACKEND_CLI_PATH: programPath('insistent-agent.mjs'),
      ASKS: '2000',
      MAX_PERMISSION_REQUESTS: '20',
      PERMISSION_MODE: 'ask',
    });
    stage.configure('hooks.json', JSON.stringify({ tool_start: [{ module: './block.mjs' }] }));
    stage.configure('block.mjs', "export default () => ({ action: 'block', reason: 'never' });\n");
    const client = await stage.start();
    expect(await client.ask('a', 'write a note: never')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('more than 20 permissions in one turn') },
    });
    expect(note(stage)).toBe(false);
  });

  it('what a person has seen is what is allowed [fault 13.9: two permission requests with one id]', async () => {
    const stage = setUpGateway({
      PERMISSION_MODE: 'ask',
      BACKEND_CLI_PATH: programPath('ambiguous-agent.mjs'),
    });
    const client = await stage.start();
    const event = await client.post('a', 'go');
    await eventually(async () => (await pending(client)).length > 0);
    const [request] = await pending(client);
    expect(request).toMatchObject({ tool: 'Bash', input: { command: 'ls' } });
    await client.call(`/v1/permissions/${request?.id}`, { body: { decision: 'allow' } });
    expect(await client.ended(event)).toMatchObject({ state: 'answered', responseText: 'deny , allow ls' });
    const asked = (await client.messages('a')).filter(({ text }) => text.includes('Permission needed'));
    expect(asked).toHaveLength(1);
  });

  it('denied: the tool does not run', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask' });
    const client = await stage.start();
    const event = await client.post('a', 'write a note: denied');
    const { id } = await theOne(client);
    await client.call(`/v1/permissions/${id}`, { body: { decision: 'deny', message: 'not today' } });
    expect((await client.ended(event)).state).toBe('answered');
    expect(note(stage)).toBe(false);
  });

  it('nobody answers: it is denied when its time is over', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask', PERMISSION_TIMEOUT_MS: '300' });
    const client = await stage.start();
    expect((await client.ask('a', 'write a note: nobody')).state).toBe('answered');
    expect(note(stage)).toBe(false);
    expect(await pending(client)).toEqual([]);
  });

  it('a decision that is not offered is refused, and the request stays', async () => {
    const client = await setUpGateway({ PERMISSION_MODE: 'ask' }).start();
    await client.post('a', 'write a note: odd');
    const { id } = await theOne(client);
    const odd = client.call(`/v1/permissions/${id}`, { body: { decision: 'maybe' } });
    await expect(odd).rejects.toThrow(/400/);
    expect(await pending(client)).toHaveLength(1);
    const unknown = client.call('/v1/permissions/prm_none', { body: { decision: 'deny' } });
    await expect(unknown).rejects.toThrow(/404/);
  });

  it.each([
    ['the same request, asked once, answered later', 'write a note: later', '10'],
    [
      'also after the agent has read something, as agents do before they ask (16.5)',
      'start the tour',
      '1000',
    ],
  ])('survives a restart: %s', async (_, said, speed) => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask', TURNOUT_DEMO_SPEED: speed });
    const client = await stage.start();
    const event = await client.post('a', said);
    const before = await theOne(client);
    await client.stop();
    const second = await stage.start();
    expect(await pending(second)).toMatchObject([{ id: before.id, tool: 'Write' }]);
    await second.until(event, 'running');
    await second.call(`/v1/permissions/${before.id}`, { body: { decision: 'allow' } });
    expect((await second.ended(event)).state).toBe('answered');
    expect(note(stage)).toBe(true);
    const questions = (await second.messages('a')).filter(({ text }) => text.startsWith('Permission needed'));
    expect(questions).toHaveLength(1);
  });

  it('answered before the turn asks again: the answer counts', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask', MAX_CONCURRENT_TURNS: '1' });
    const client = await stage.start();
    const event = await client.post('a', 'write a note: early');
    const { id } = await theOne(client);
    await client.stop();
    const second = await stage.start();
    await second.call(`/v1/permissions/${id}`, { body: { decision: 'allow' } });
    expect((await second.ended(event)).state).toBe('answered');
    expect(note(stage)).toBe(true);
  });

  it('a stopped turn leaves no request behind', async () => {
    const client = await setUpGateway({ PERMISSION_MODE: 'ask' }).start();
    const event = await client.post('a', 'write a note: stopped');
    await theOne(client);
    await client.interrupt('a');
    expect((await client.event(event)).state).toBe('cancelled');
    expect(await pending(client)).toEqual([]);
  });
});
