import { describe, expect, it } from 'vitest';
import { findAgent, modelIds } from '../../../../../../src/gateway/channels/http/openai/models.js';
import type { BackendSummary } from '../../../../../../src/gateway/channels/lookups.js';

const backend = (name: string, more: Partial<BackendSummary> = {}): BackendSummary => ({
  ...{ name, isDefault: false, installed: true, install: `npm install -g ${name}`, thinkingDepths: [] },
  ...{ permissionModes: [], options: [], models: [] },
  ...more,
});

const backends = [
  backend('claude', { models: ['opus'] }),
  backend('opencode', { models: ['anthropic/claude-x'] }),
  backend('codex', { installed: false }),
  backend('my-own'),
  backend('gemini'),
];

describe('the models of the OpenAI door', () => {
  it('are the installed backends, with the models that they were run with (16.3)', () => {
    expect(modelIds(backends)).toEqual([
      ...['default', 'claude', 'claude/opus', 'opencode', 'opencode/anthropic/claude-x', 'my-own', 'gemini'],
    ]);
  });

  it.each([
    ['claude', { backend: 'claude', model: null }],
    ['Claude-CLI', { backend: 'claude', model: null }],
    ['claude/', { backend: 'claude', model: null }],
    ['claude/sonnet', { backend: 'claude', model: 'sonnet' }],
    ['opencode/anthropic/claude-x', { backend: 'opencode', model: 'anthropic/claude-x' }],
    ['my-own/x', { backend: 'my-own', model: 'x' }],
    ['claude-opus-4-1', { backend: 'claude', model: 'claude-opus-4-1' }],
    ['claude-3-5-sonnet-latest', { backend: 'claude', model: 'claude-3-5-sonnet-latest' }],
    ['gemini-2.5-pro', { backend: 'gemini', model: 'gemini-2.5-pro' }],
    ['default', {}],
    ['default/opus', { model: 'opus' }],
  ])('%s is %j (16.3)', (written, choice) => {
    expect(findAgent(written, backends)).toEqual(choice);
  });

  it.each([
    ['gpt-4o', 'There is no model "gpt-4o". There are: default, claude,'],
    ['claude-', 'There is no model "claude-"'],
    ['llama-3', 'There is no model "llama-3"'],
    ['anthropic/claude-opus-4', 'There is no model "anthropic/claude-opus-4"'],
    ['gpt-5', 'The model "codex/gpt-5" can\'t be used: codex is not installed.'],
    ['gpt-5.1-codex-mini', 'codex is not installed.'],
    ['codex-mini-latest', 'codex is not installed.'],
    ['', 'There is no model ""'],
    ['codex/gpt-5', "can't be used: codex is not installed. Install it with: npm install -g codex"],
  ])('%j is not found (16.3)', (written, words) => {
    expect(() => findAgent(written, backends)).toThrow(words);
  });
});
