import { describe, expect, it } from 'vitest';
import { listJson, listText } from '../../../../src/cli/chain/chain-list.js';
import { planText } from '../../../../src/cli/chain/chain-plan.js';
import { parseChainFile } from '../../../../src/orchestra/read-chain-file.js';

describe('turnout chain list', () => {
  it('shows chains with their steps, and agents, without what would steer the terminal (O6)', async () => {
    const steps = [
      { agent: 'a', iterations: 3 },
      { parallel: [{ agent: 'b' }, { agent: 'c', iterations: 2 }] },
      { agent: 'd' },
    ];
    const file = await parseChainFile(
      'chains.json',
      JSON.stringify({
        agents: { a: { backend: 'codex', model: 'gpt-x', description: 'A\u001b[2J' }, bee: {} },
        chains: { one: { description: 'does it', steps }, two: { steps: [{ agent: 'a' }] } },
      }),
    );
    expect(listText(file)).toBe(
      [
        'Chains in chains.json:',
        '  one  does it',
        '    a:3 -> (b | c:2) -> d',
        '  two',
        '    a',
        '',
        'Agents:',
        '  a    codex gpt-x  A',
        '  bee',
        '',
      ].join('\n'),
    );
    expect(listJson(file)).toMatchObject({
      file: 'chains.json',
      chains: [{ name: 'one', description: 'does it', steps }, { name: 'two' }],
      agents: [{ name: 'a', backend: 'codex', model: 'gpt-x' }, { name: 'bee' }],
    });
  });
});

describe('turnout chain plan', () => {
  it('shows each step’s command, and what becomes of its options (O6, O9)', () => {
    const plan = {
      chain: 'c',
      steps: [
        {
          ...{
            agent: 'a',
            backend: 'codex',
            iterations: 3,
            loop: true,
            command: "codex exec 'a  b\n\u001b[2Jc'",
          },
          ...{
            native: ['model', 'prompt'],
            emulated: ['systemPrompt'],
            refused: ['maxTurns: x', 'tools: y'],
          },
        },
        {
          ...{ agent: 'p', backend: 'p', iterations: 1, loop: false, command: '/bin/p' },
          ...{ native: [], emulated: [], refused: [] },
        },
      ],
      warnings: ['careful'],
    };
    expect(planText(plan)).toBe(
      [
        'c: 2 steps, nothing has been started',
        '',
        '1. a (codex), until the marker, at most 3 iterations',
        "   command   codex exec 'a  b",
        "␛[2Jc'",
        '   native    model, prompt',
        '   emulated  systemPrompt',
        '   refused   maxTurns: x',
        '             tools: y',
        '',
        '2. p (p), once',
        '   command   /bin/p',
        'warning: careful',
        '',
      ].join('\n'),
    );
  });
});
