import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnoutError } from '../../../src/core/errors.js';
import type { AgentStep, ResolvedChain } from '../../../src/orchestra/types.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

async function refusal(chain: string | undefined, request = {}): Promise<TurnoutError> {
  const error = await stage.resolve(chain, request).catch((thrown: unknown) => thrown);
  if (error instanceof TurnoutError) return error;
  throw new Error(`It was not refused: ${JSON.stringify(error)}`);
}

function firstAgent({ groups }: ResolvedChain): AgentStep {
  const [step] = groups.flat();
  if (step?.run.type !== 'agent') throw new Error('The first step has no agent.');
  return step.run;
}

const agents = { a: { systemPromptText: 'You are a.' }, b: { systemPromptText: '', backend: 'codex-cli' } };

describe('a chain is checked as a whole before it begins (O6)', () => {
  it('all that is wrong is told at once, each by its path', async () => {
    stage.chains({
      agents: { ...agents, lost: { systemPrompt: 'prompts/lost.md' } },
      chains: {
        c: {
          steps: [
            { agent: 'a', promptFile: 'missing.md' },
            { agent: 'nobody-has-this' },
            { agent: 'a', prompt: 'use ${WORD}' },
            { agent: 'a', prompt: 'use ${later.output}' },
            { agent: 'a', name: 'later' },
            { agent: 'a', verify: 'echo ${later.output}' },
            { agent: 'a', when: 'nonsense' },
            { agent: 'lost' },
            {},
            { parallel: [{ agent: 'a' }], retry: 1 },
            { agent: 'a', backend: 'cladue' },
          ],
        },
      },
    });
    const { code, message } = await refusal('c', { prompt: undefined, variables: new Map() });
    expect(code).toBe('bad_request');
    for (const part of [
      /steps\[1\]\.promptFile: missing\.md is not there/,
      /steps\[2\]\.agent: there is no agent "nobody-has-this"/,
      /steps\[3\]\.prompt uses \$\{WORD\}, which was not given/,
      /steps\[4\]\.prompt uses \$\{later\.output\}, and no step later comes before/,
      /steps\[6\]\.verify uses the output of a step/,
      /steps\[7\]\.when: "nonsense" is no condition/,
      /prompts\/lost\.md/,
      /steps\[9\] names neither an agent nor steps/,
      /steps\[10\]\.retry stands beside "parallel"/,
      /steps\[11\]\.backend: Unknown backend "cladue"\..* Did you mean claude\?/,
    ]) {
      expect(message).toMatch(part);
    }
  });

  it('a prompt is found in its order: command line, step, chain, agent; text before file', async () => {
    writeFileSync(join(stage.workingDir, 'p.md'), 'of a file');
    stage.chains({
      agents: { a: { ...agents.a, defaultPrompt: 'of the agent' } },
      chains: {
        step: { prompt: 'of the chain', steps: [{ agent: 'a', prompt: 'of the step', promptFile: 'p.md' }] },
        file: { prompt: 'of the chain', steps: [{ agent: 'a', promptFile: 'p.md' }] },
        chain: { prompt: 'of the chain', steps: [{ agent: 'a' }] },
        agent: { steps: [{ agent: 'a' }] },
      },
    });
    const promptOf = async (chain: string, request = {}) =>
      (await stage.resolve(chain, { prompt: undefined, ...request })).groups[0]?.[0]?.prompt;
    expect(await promptOf('step')).toBe('of the step');
    expect(await promptOf('file')).toBe('of a file');
    expect(await promptOf('chain')).toBe('of the chain');
    expect(await promptOf('agent')).toBe('of the agent');
    expect(await promptOf('step', { promptFile: 'p.md' })).toBe('of a file');
    expect(await promptOf('step', { promptFile: 'p.md', prompt: 'typed' })).toBe('typed');
  });

  it('an agent without a prompt is told by its step', async () => {
    stage.chains({ agents, chains: { c: { steps: [{ agent: 'a' }] } } });
    expect((await refusal('c', { prompt: undefined })).message).toBe(
      'chains.c.steps[1] has no prompt for the agent a.',
    );
  });

  it('the backend: command line, step, agent, chain, setting (O5)', async () => {
    stage.chains({
      agents,
      chains: {
        c: {
          backend: 'gemini',
          steps: [{ agent: 'a' }, { agent: 'b' }, { agent: 'b', backend: 'opencode' }],
        },
        plain: { steps: [{ agent: 'a' }] },
      },
    });
    const backends = async (chain: string, request = {}) =>
      (await stage.resolve(chain, request)).groups.flat().map(({ run }) => (run as AgentStep).backend);
    expect(await backends('c')).toEqual(['gemini', 'codex', 'opencode']);
    expect(await backends('c', { backend: 'Claude-CLI' })).toEqual(['claude', 'claude', 'claude']);
    expect(await backends('plain', { defaultBackend: 'codex' })).toEqual(['codex']);
  });

  it('a model of another vendor is refused, or left out where only the backend was changed', async () => {
    stage.chains({
      agents: {
        right: { systemPromptText: '', model: 'opus' },
        wrong: { systemPromptText: '', model: 'opus', backend: 'codex' },
      },
      chains: { right: { steps: [{ agent: 'right' }] }, wrong: { steps: [{ agent: 'wrong' }] } },
    });
    expect((await refusal('wrong')).message).toContain(
      '"opus" is a model of claude, and the backend is codex',
    );
    const changed = await stage.resolve('right', { backend: 'codex' });
    expect(firstAgent(changed).options.model).toBeUndefined();
    expect(changed.warnings.join()).toContain('the model "opus" of the agent right belongs to claude');
    const kept = await stage.resolve('right');
    expect(firstAgent(kept).options.model).toBe('opus');
  });

  it('a CLI that is not there is told with what installs it, unless a fallback was named (O10, O12)', async () => {
    stage.chains({
      agents: { none: { systemPromptText: '' }, other: { systemPromptText: '', fallback: 'codex' } },
      chains: { none: { steps: [{ agent: 'none' }] }, other: { steps: [{ agent: 'other' }] } },
    });
    const { configFor } = stage.configured();
    const missing = {
      configFor: (name: string) => ({
        ...configFor(name),
        ...(name === 'claude' ? { cliPath: 'no-such-cli' } : {}),
      }),
    };
    const error = await refusal('none', missing);
    expect([error.code, error.hint]).toEqual(['not_installed', expect.stringContaining('npm install')]);
    const other = await stage.resolve('other', missing);
    expect(firstAgent(other).backend).toBe('codex');
    expect(other.warnings.join()).toContain('runs on its fallback, codex');
  });

  it('a chain that is misspelt runs nothing, and the nearest is named', async () => {
    stage.chains({ agents, chains: { build: { steps: [{ agent: 'a' }] } } });
    expect((await refusal('biuld')).message).toContain('Did you mean build?');
    expect((await refusal('true')).message).toContain('There is no chain "true"');
    expect((await stage.resolve(undefined)).name).toBe('build');
    expect((await stage.resolve('a')).groups.flat()).toHaveLength(1);
  });

  it('nothing that the file names is run', async () => {
    stage.agent('planner', 'touch ran');
    mkdirSync(join(stage.workingDir, 'sub'));
    await stage.resolve('planner -> planner:3');
    expect(stage.runsOf('planner')).toBe(0);
  });
});
