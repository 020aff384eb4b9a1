import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../../src/backends/claude-backend.js';
import type { RunRequest } from '../../../../src/backends/types.js';
import { type ChatEvent, errorEvent } from '../../../../src/core/chat-event.js';
import { Agents } from '../../../../src/gateway/agents/agents.js';
import { backendConfig, loadConfig } from '../../../../src/gateway/config.js';

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
