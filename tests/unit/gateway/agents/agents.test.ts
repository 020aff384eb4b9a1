import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { ClaudeCodeBackend } from '../../../../src/backends/claude-backend.js';
import type { RunRequest } from '../../../../src/backends/types.js';
import { type ChatEvent, errorEvent } from '../../../../src/core/chat-event.js';
import { Agents } from '../../../../src/gateway/agents/agents.js';
import { backendConfig, loadConfig } from '../../../../src/gateway/config.js';
import { demoAgent } from '../../../gateway/stage.js';
import { patience } from '../../../machine-speed.js';
import { directoryWith } from '../temporary-directory.js';

/** A new session breaks off before anything is stored under its id. */
class NeverStores extends ClaudeCodeBackend {
  override async *run({ sessionId }: RunRequest): AsyncGenerator<ChatEvent> {
    if (sessionId !== undefined) yield errorEvent('session_not_found', 'No conversation found');
    else {
      yield { type: 'session', sessionId: 'x', backend: 'claude' };
      yield errorEvent('auth', 'not logged in');
    }
  }
}

it('an unknown session of a one-shot turn is the runtime’s to hear of, which tells the conversation again (R10)', async () => {
  const config = loadConfig({ WORKING_DIR: tmpdir(), TURNOUT_HOME: tmpdir() });
  const agents = new Agents(config, new NeverStores(backendConfig(config)));
  const run = async (sessionId?: string) => {
    const request = { channel: 'a', backend: 'claude', prompt: 'hi', cwd: tmpdir(), live: false } as const;
    const events: ChatEvent[] = [];
    const turn = agents.run({ ...request, sessionId }, new AbortController().signal);
    for await (const event of turn.events) events.push(event);
    return events;
  };
  expect((await run()).at(-1)).toMatchObject({ code: 'auth' });
  expect(await run('x')).toMatchObject([{ type: 'error', code: 'session_not_found' }]);
  await agents.close();
});

it('a session is resumed unless a process has it open (R10)', async () => {
  const home = await directoryWith();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TURNOUT_DEMO_SPEED: '0' };
  const config = loadConfig({
    ...{ WORKING_DIR: home, TURNOUT_HOME: home, CONFIG_DIR: home, BACKEND_CLI_PATH: demoAgent },
  });
  const agents = new Agents(config, new ClaudeCodeBackend(backendConfig(config, env)), env);
  const run = async (live: boolean, sessionId?: string, prompt = 'hello') => {
    const request = { channel: 'a', backend: 'claude', prompt, cwd: home, live, sessionId } as const;
    const turn = agents.run(request, new AbortController().signal);
    let last: ChatEvent | undefined;
    for await (const event of turn.events) last = event;
    return { resumed: turn.resumed, sessionId: last?.type === 'complete' ? last.sessionId : undefined };
  };
  const { resumed, sessionId } = await run(true);
  expect(resumed).toBe(false);
  expect(await run(true, sessionId)).toEqual({ resumed: false, sessionId });
  expect(await run(true, sessionId, 'crash')).toEqual({ resumed: false, sessionId: undefined });
  await vi.waitFor(() => expect(agents.processes).toBe(0), patience);
  expect(await run(true, sessionId)).toEqual({ resumed: true, sessionId });
  expect(await run(false, sessionId)).toEqual({ resumed: true, sessionId });
  await agents.close();
});
