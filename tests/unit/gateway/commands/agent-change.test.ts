import { describe, expect, it } from 'vitest';
import type { AgentRuntime } from '../../../../src/gateway/agent-runtime.js';
import { agentChange } from '../../../../src/gateway/commands/agent-change.js';
import type { AgentChoice, ChannelState } from '../../../../src/store/rows.js';

/** A channel of claude with the model that the settings name, unless the chat has chosen. */
function change(wanted: AgentChoice, chosen: Partial<ChannelState> = {}, restricted = false) {
  const state = { conversationStart: 0, archived: false, ...chosen };
  const agents: Record<string, object> = {
    claude: adapter('claude', ['low', 'high', 'tokens']),
    codex: adapter('codex', ['low', 'medium']),
    gemini: adapter('gemini', []),
    missing: { ...adapter('missing', []), validate: async () => false },
  };
  const runtime = {
    settings: async () => ({ backend: 'claude', model: 'from-settings', thinking: 'low', ...chosen }),
    agents: { find: (name: string) => agents[name] },
    checkRestrictions: () =>
      restricted ? { type: 'refused', text: 'It can not be restricted.' } : { type: 'fine' },
  } as unknown as AgentRuntime;
  return agentChange({ runtime, store: { channel: async () => state } }, 'c', wanted);
}

function adapter(name: string, thinkingDepth: readonly string[]) {
  return { name: () => name, validate: async () => true, capabilities: { thinkingDepth } };
}

describe('the agent that a message asks for', () => {
  it.each<[string, AgentChoice, Partial<ChannelState>, object | undefined]>([
    ['nothing', {}, {}, undefined],
    ['the backend that answers', { backend: 'claude', model: null }, {}, undefined],
    [
      'the backend without the chosen model',
      { backend: 'claude', model: null },
      { model: 'opus' },
      { model: null },
    ],
    ['the model that is used', { backend: 'claude', model: 'from-settings', thinking: 'low' }, {}, undefined],
    ['another model', { backend: 'claude', model: 'opus' }, {}, { backend: 'claude', model: 'opus' }],
    ['a model of whatever answers', { model: 'opus' }, {}, { backend: 'claude', model: 'opus' }],
    ['another depth', { thinking: 'high' }, {}, { backend: 'claude', thinking: 'high' }],
    [
      'another backend',
      { backend: 'codex', model: null },
      {},
      { backend: 'codex', model: null, thinking: null },
    ],
    [
      'another backend with a model and a depth',
      { backend: 'codex', model: 'from-settings', thinking: 'low' },
      { model: 'from-settings' },
      { backend: 'codex', model: 'from-settings', thinking: 'low' },
    ],
  ])('changes the channel for %s (16.3)', async (_, wanted, chosen, expected) => {
    expect(await change(wanted, chosen)).toEqual(expected);
  });

  it.each<[AgentChoice, string, string]>([
    [{ backend: 'nobody' }, 'bad_request', 'There is no backend "nobody".'],
    [{ backend: 'missing' }, 'not_installed', 'its own check'],
    [{ model: '-rf' }, 'bad_request', '"-rf" is no model'],
    [{ model: 'a b' }, 'bad_request', 'has no spaces'],
    [{ thinking: 'minimal' }, 'bad_request', 'claude has no depth of thinking "minimal": it has low, high.'],
    [{ backend: 'codex', thinking: 'high' }, 'bad_request', 'codex has no depth of thinking "high"'],
    [{ backend: 'gemini', thinking: 'low' }, 'bad_request', "gemini can't be told how deep to think"],
  ])('is refused: %j (16.3)', async (wanted, code, message) => {
    await expect(change(wanted)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('is refused where the channel’s restrictions can not be kept (16.3)', async () => {
    await expect(change({ backend: 'codex' }, {}, true)).rejects.toThrow('It can not be restricted.');
    expect(await change({ model: 'opus' }, {}, true)).toBeDefined();
  });
});
