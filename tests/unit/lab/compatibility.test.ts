import { describe, expect, it } from 'vitest';
import { cannotRun, compatibilityPage, foldResults, withoutTraces } from '../../../src/lab/compatibility.js';
import type { ScenarioResult } from '../../../src/lab/run-scenarios.js';
import type { Scenario } from '../../../src/lab/scenario.js';

const pinned = { claude: '2.1.2', codex: '0.2.0', gemini: '0.3.0', opencode: '1.1.0' };
const scenarios = ['answer', 'tool'].map(
  (id): Scenario => ({ id, title: `The ${id}`, deep: false, advice: '', run: async () => undefined }),
);

function result(
  scenario: string,
  state: ScenarioResult['state'],
  reason?: string,
  face: ScenarioResult['face'] = 'library',
): ScenarioResult {
  const facts = { cli: 'claude', scenario, title: scenario, face, state, milliseconds: 1 } as const;
  return reason === undefined ? facts : { ...facts, reason };
}

describe('the results of one version', () => {
  it('a scenario that fails through one face fails, whichever came first', () => {
    const one = [
      result('tool', 'failed', 'broken', 'library'),
      result('tool', 'passed', undefined, 'command'),
    ];
    expect(foldResults(one, '2026-11-17').states).toEqual({ tool: 'failed' });
    expect(foldResults(one.toReversed(), '2026-11-17').states).toEqual({ tool: 'failed' });
  });

  it('tell a reason that both faces share once', () => {
    const both = (['library', 'command'] as const).map((face) => result('tool', 'failed', 'broken', face));
    expect(foldResults(both, '2026-11-17').reasons).toEqual([
      { scenario: 'tool', state: 'failed', reason: 'broken' },
    ]);
  });

  it('hold nothing of the machine and the run', () => {
    expect(
      withoutTraces(
        'npm error 404 https://registry.example/codex: not at /var/tmp/lab-1/x.json, "/opt/lab/bin/codex" of 127.0.0.1:4711, ' +
          'session 0199a1de-7a5c-7c31-a0f3-5ad0d0aa0001 and ses_5c2a1b3dffe1XyZabcdefGHIJ',
      ),
    ).toBe('npm error 404 (address) not at …/x.json, "…/codex" of 127.0.0.1, session (id) and (id)');
    expect(withoutTraces('"/clear" and/or /no-such-command now, 1/2')).toBe(
      '"/clear" and/or /no-such-command now, 1/2',
    );
  });
});

describe('the page of compatibility', () => {
  const passing = foldResults([result('answer', 'passed'), result('tool', 'passed')], '2026-11-17');
  const failing = foldResults(
    [result('answer', 'failed', 'no\n answer'), result('tool', 'failed', 'no\n answer')],
    '2026-11-17',
  );
  const skipping = foldResults(
    [result('answer', 'passed'), result('tool', 'skipped', 'has none')],
    '2026-11-17',
  );
  const page = compatibilityPage(
    {
      claude: {
        '2.1.3': passing,
        '2.1.2': passing,
        '2.0.9': failing,
        '2.0.8': cannotRun('no binary', '2026-11-17'),
      },
      codex: { '0.2.0': skipping },
    },
    pinned,
    scenarios,
  );

  it('has one table of the pinned versions', () => {
    expect(page).toContain(
      [
        '| scenario | claude 2.1.2 | codex 0.2.0 |',
        '| --- | --- | --- |',
        '| **answer**: The answer | yes | yes |',
        '| **tool**: The tool | yes | not possible |',
        '',
        'What does not hold, and why:',
        '',
        '- codex 0.2.0: tool (skipped): has none',
      ].join('\n'),
    );
  });

  it('has one table for each CLI with its versions as columns, and tells a version that can’t run', () => {
    expect(page).toContain(
      [
        '### claude',
        '',
        '| scenario | 2.1.3 | 2.1.2 | 2.0.9 | 2.0.8 |',
        '| --- | --- | --- | --- | --- |',
        '| answer | yes | yes | **fails** | can’t run |',
        '| tool | yes | yes | **fails** | can’t run |',
        '',
        'What does not hold, and why:',
        '',
        '- 2.0.9: answer, tool (failed): no answer',
        '- 2.0.8: can’t run: no binary',
      ].join('\n'),
    );
    expect(page).not.toContain('### gemini');
  });

  it('tells a reason that versions share once', () => {
    const both = compatibilityPage({ gemini: { '0.3.0': skipping, '0.2.0': skipping } }, pinned, scenarios);
    expect(both).toContain('\n- 0.3.0, 0.2.0: tool (skipped): has none\n');
  });

  it('says of a new scenario that it has not run', () => {
    const { answer } = passing.states;
    const older = { ...passing, states: { answer: answer ?? 'passed' } };
    expect(compatibilityPage({ claude: { '2.1.2': older } }, pinned, scenarios)).toContain(
      '| tool | not run |',
    );
  });
});
