import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findChainFile, parseChainFile } from '../../../src/orchestra/read-chain-file.js';

const old = {
  agents: {
    planner: { systemPrompt: 'forge/orch/prompts/planner.md', model: 'opus', allowedTools: ['Read', 'Bash'] },
    builder: { systemPromptText: 'You build.', backend: 'codex-cli' },
    silent: { systemPromptText: '' },
  },
  chains: {
    'build-all': {
      description: 'Plan, then build',
      prompt: 'Work on it',
      steps: [
        { agent: 'planner', iterations: 3 },
        { agent: 'builder', iterations: 20, promptFile: 'p.md', loop: true, args: ['--x', '${TASK}'] },
      ],
    },
  },
};

function inDirectory(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'turnout-chains-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe('a chain file (O6)', () => {
  it('of existing users loads as it is', async () => {
    const file = await parseChainFile('chains.json', JSON.stringify(old));
    expect(Object.fromEntries(file.agents)).toEqual(old.agents);
    expect(Object.fromEntries(file.chains)).toEqual(old.chains);
    expect(file.warnings).toEqual([]);
  });

  it('can be YAML', async () => {
    const yaml =
      'agents:\n  a: {systemPromptText: Hi}\nchains:\n  c:\n    steps:\n      - agent: a\n        iterations: 2\n';
    const file = await parseChainFile('chains.yaml', yaml);
    expect(file.chains.get('c')).toEqual({ steps: [{ agent: 'a', iterations: 2 }] });
  });

  it.each([
    ['{', 'chains.json is not valid JSON'],
    ['[]', 'the file'],
    ['{}', 'chains is missing'],
    ['{"chains": {"c": {}}}', 'chains.c.steps is missing'],
    ['{"chains": {"c": {"steps": []}}}', 'chains.c.steps'],
    ['{"chains": {"c": {"steps": [{"agent": "a", "iterations": 0}]}}}', 'chains.c.steps[1].iterations'],
    [
      '{"chains": {"c": {"steps": [{"agent": "a"}, {"agent": "a", "iterations": "3"}]}}}',
      'chains.c.steps[2].iterations',
    ],
    ['{"chains": {"c": {"steps": [{"agent": ""}]}}}', 'chains.c.steps[1].agent'],
    [
      '{"chains": {"c": {"steps": [{"agent": "a", "iteration": 3}]}}}',
      'chains.c.steps[1].iteration is no field. Did you mean "iterations"?',
    ],
    ['{"agents": {"a": {"maxTurns": 0}}, "chains": {}}', 'agents.a.maxTurns'],
    [
      '{"agents": {"a": {"system_prompt": "x"}}, "chains": {}}',
      'agents.a.system_prompt is no field. Did you mean "systemPrompt"?',
    ],
  ])('%s is refused with the path of what is wrong', async (text, message) => {
    await expect(parseChainFile('chains.json', text)).rejects.toThrow(message);
  });

  it('tells all that is wrong at once', async () => {
    const text = '{"agents": {"a": {"model": 1}}, "chains": {"c": {"steps": [{"agent": 1}]}}}';
    await expect(parseChainFile('chains.json', text)).rejects.toThrow(
      /agents\.a\.model.*\n.*chains\.c\.steps\[1\]\.agent/,
    );
  });

  it('may have notes and fields of other programs, which are named', async () => {
    const text =
      '{"$schema": "x", "_comment": "y", "vendor": 1, "chains": {"c": {"steps": [{"agent": "a"}]}}}';
    const { warnings } = await parseChainFile('chains.json', text);
    expect(warnings).toEqual(['chains.json: vendor is no field, and is ignored.']);
  });

  it('is found in its places, in this order', async () => {
    const chain = (name: string) => JSON.stringify({ chains: { [name]: { steps: [{ agent: 'a' }] } } });
    const forge = { 'forge/orch/chains.json': chain('forge') };
    const yaml = { 'chains.yaml': chain('yaml') };
    const json = { 'chains.json': chain('json') };
    const first = async (files: Record<string, string>, asked?: string) =>
      [...((await findChainFile(inDirectory(files), asked))?.chains.keys() ?? [])][0];
    expect(await first({})).toBeUndefined();
    expect(await first(forge)).toBe('forge');
    expect(await first({ ...forge, ...yaml })).toBe('yaml');
    expect(await first({ ...forge, ...yaml, ...json })).toBe('json');
    expect(await first({ ...json, 'x/other.json': chain('other') }, 'x/other.json')).toBe('other');
    await expect(first(json, 'none.json')).rejects.toThrow('none.json is not there.');
  });
});
