import { describe, expect, it } from 'vitest';
import { toMessage } from '../../../../../../src/gateway/channels/http/openai/to-message.js';
import type { BackendSummary, Reports } from '../../../../../../src/gateway/channels/lookups.js';
import type { ChannelStatus } from '../../../../../../src/gateway/channels/types.js';

const backend = (name: string, thinkingDepths: readonly string[]): BackendSummary => ({
  ...{ name, isDefault: false, installed: true, install: '', thinkingDepths },
  ...{ permissionModes: [], options: [], models: [] },
});

const gateway = {
  event: async () => undefined,
  takeMarked: async () => undefined,
  status: async () => ({ backend: 'gemini' }) as ChannelStatus,
  reports: {
    backends: async () => [
      backend('claude', ['off', 'low', 'high', 'tokens']),
      backend('codex', ['low', 'high']),
      backend('gemini', []),
    ],
  } as Partial<Reports> as Reports,
};

const request = { history: [], prompt: 'hi', stream: false, includeUsage: false, metadata: {} };

describe('the depth of thinking that a request asks for (16.3)', () => {
  it.each([
    ['claude', 'off', 'off'],
    ['claude', 'minimal', 'low'],
    ['codex', 'off', 'low'],
    ['codex', 'high', 'high'],
    // The agent refuses it by its name.
    ['codex', 'max', 'max'],
    ['gemini', 'off', undefined],
    ['gemini', 'high', undefined],
    // The channel's backend.
    ['default', 'minimal', undefined],
  ])('%s with %s: %s', async (model, depth, expected) => {
    const thinking = { depth, param: 'reasoning_effort' };
    const message = await toMessage(gateway, { ...request, model, thinking }, undefined);
    expect(message.agent?.thinking).toBe(expected);
  });
});
