import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planChain } from '../../../src/orchestra/plan-chain.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

describe('a plan (O9)', () => {
  it('has the exact command of each step, and what becomes of its options; nothing is started', async () => {
    stage.agent('planner', 'touch ran');
    stage.chains({
      agents: { a: { systemPromptText: 'x', model: 'opus', maxTurns: 7, allowedTools: ['Read'] } },
      chains: {
        c: { steps: [{ agent: 'a', iterations: 3 }, { agent: 'a' }, { agent: 'planner', args: ["it's"] }] },
      },
    });
    const chain = await stage.resolve('c', { planOnly: true });
    const { steps } = await planChain(chain, stage.configured().configFor);
    expect(steps).toMatchObject([
      { agent: 'a', backend: 'claude', iterations: 3, loop: true, emulated: [], refused: [] },
      { agent: 'a', backend: 'claude', iterations: 1, loop: false },
      { agent: 'planner', backend: 'planner', native: [], emulated: [], refused: [] },
    ]);
    expect(steps[0]?.command).toContain('--input-format stream-json');
    expect(steps[1]?.command).toContain('--append-system-prompt-file');
    expect(steps[1]?.command).toContain('--model opus');
    expect(steps[1]?.native).toContain('maxTurns (--max-turns)');
    expect(steps[2]?.command).toMatch(/bin\/planner 'it'\\''s' 'do it'$/);
    expect(stage.runsOf('planner')).toBe(0);
  });

  it('shows what a backend can’t do as refused, where a run fails before it begins (O4)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x', maxTurns: 7 } },
      chains: { c: { steps: [{ agent: 'a' }] } },
    });
    const chain = await stage.resolve('c', { planOnly: true, backend: 'codex' });
    const { steps } = await planChain(chain, stage.configured().configFor);
    expect(steps[0]?.refused.join()).toMatch(/^maxTurns: Limit the turn by time/);
    expect(steps[0]?.command).not.toContain('max-turns');
    const refusal = stage.resolve('c', { backend: 'codex' });
    await expect(refusal).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(
        'chains.c.steps[1] (agent a): codex does not support maxTurns (--max-turns)',
      ),
    });
    const allowed = await stage.resolve('c', { backend: 'codex', allowUnsupported: true });
    expect(allowed.warnings.join()).toContain('codex does not support maxTurns');
  });

  it('is made for a CLI that is not installed, too, and says so', async () => {
    stage.chains({ agents: { a: { systemPromptText: 'x' } }, chains: { c: { steps: [{ agent: 'a' }] } } });
    const configFor = () => ({ ...stage.configured().configFor('claude'), cliPath: 'no-such-cli' });
    const plan = await planChain(await stage.resolve('c', { planOnly: true, configFor }), configFor);
    expect(plan.steps[0]?.command).toContain(' no-such-cli -p ');
    expect(plan.warnings.join()).toContain('was not found: no-such-cli');
  });
});
