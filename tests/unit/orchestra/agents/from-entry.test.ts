import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { modelFor } from '../../../../src/orchestra/agents/definition.js';
import { fromEntry } from '../../../../src/orchestra/agents/from-entry.js';
import { modelBelongsTo } from '../../../../src/runner/model-owner.js';
import { it } from '../../../contract/stage.js';

describe('an agent of a chain file', () => {
  it('has its files read, relative to the working directory (O6)', async ({ stage: { workingDir } }) => {
    mkdirSync(join(workingDir, 'prompts'));
    writeFileSync(join(workingDir, 'prompts/planner.md'), 'You plan.\r\n');
    writeFileSync(join(workingDir, 'go.md'), 'go');
    writeFileSync(join(workingDir, 'mcp.json'), '{}');
    const entry = {
      systemPrompt: 'prompts/planner.md',
      backend: 'claude-cli',
      model: 'opus',
      maxTurns: 3,
      allowedTools: ['Read'],
      mcpConfig: 'mcp.json',
      defaultPromptFile: 'go.md',
    };
    expect(await fromEntry('planner', entry, workingDir, 'chains.json')).toEqual({
      name: 'planner',
      source: 'chains.json',
      systemPrompt: 'You plan.\n',
      backend: 'claude',
      model: 'opus',
      maxTurns: 3,
      allowedTools: ['Read'],
      mcpConfig: join(workingDir, 'mcp.json'),
      defaultPrompt: 'go',
    });
  });

  it('takes the text before the file, also an empty one (O6)', async ({ stage: { workingDir } }) => {
    const entry = { systemPrompt: 'no/such.md', systemPromptText: '' };
    expect(await fromEntry('a', entry, workingDir, 'c.json')).toMatchObject({ systemPrompt: '' });
  });

  it('without a system prompt is a program (O11)', async ({ stage: { workingDir } }) => {
    expect(await fromEntry('a', { model: 'x' }, workingDir, 'c.json')).toBeUndefined();
  });

  it.for([
    [{ systemPrompt: 'no/such.md' }, 'c.json: agents.a.systemPrompt: no/such.md is not there'],
    [{ systemPrompt: '.' }, 'c.json: agents.a.systemPrompt: . is a directory'],
    [{ systemPromptText: '', backend: 'gpt' }, 'c.json: agents.a.backend: Unknown backend "gpt"'],
    [{ systemPromptText: '', fallback: 'codx' }, 'c.json: agents.a.fallback: Unknown backend "codx"'],
    [{ systemPromptText: '', settings: 's' }, 'c.json: agents.a.settings: s is not there'],
    [{ systemPromptText: '', defaultPromptFile: 'd' }, 'c.json: agents.a.defaultPromptFile: d is not there'],
    [
      { systemPromptText: '', backend: 'codex', model: 'opus' },
      'c.json: agents.a.model: "opus" is a model of claude',
    ],
    [{ systemPromptText: '', model: '-x' }, 'c.json: agents.a.model: '],
  ] as const)('%j is wrong, by its path (O6, O10)', async ([entry, said], { stage: { workingDir } }) => {
    await expect(fromEntry('a', entry, workingDir, 'c.json')).rejects.toThrow(said);
  });

  it('codex-sdk is a backend, with the models of codex (O2)', async ({ stage: { workingDir } }) => {
    const entry = { systemPromptText: '', backend: 'codex-sdk', model: 'gpt-5' };
    expect(await fromEntry('a', entry, workingDir, 'c.json')).toMatchObject({
      backend: 'codex-sdk',
      model: 'gpt-5',
    });
  });
});

describe('a model', () => {
  it.for([
    ['opus', 'claude'],
    ['Sonnet', 'claude'],
    ['sonnet[1m]', 'claude'],
    ['claude-opus-4-5', 'claude'],
    ['us.anthropic.claude-sonnet-4-v1:0', 'claude'],
    ['gpt-5.1-codex', 'codex'],
    ['o3', 'codex'],
    ['o4-mini', 'codex'],
    ['codex-mini-latest', 'codex'],
    ['gemini-2.5-pro', 'gemini'],
    ['models/gemini-2.5-pro', 'gemini'],
    ['anthropic/claude-opus-4-5', 'opencode'],
    ['lab/lab-model', 'opencode'],
    ['llama3', undefined],
    ['pro', undefined],
    ['', undefined],
  ] as const)('%s belongs to %s (O4)', ([model, owner]) => {
    expect(modelBelongsTo(model)).toBe(owner);
  });

  it('of another vendor is left out and told, and an unknown one is passed on (O4)', () => {
    expect(modelFor({ name: 'a', model: 'opus' }, 'claude')).toEqual({ model: 'opus' });
    expect(modelFor({ name: 'a', model: 'my-model' }, 'codex')).toEqual({ model: 'my-model' });
    expect(modelFor({ name: 'a' }, 'codex')).toEqual({});
    expect(modelFor({ name: 'a', model: 'opus' }, 'codex')).toEqual({
      warning: expect.stringMatching(/"opus" of the agent a is one of claude: codex runs/),
    });
  });
});
