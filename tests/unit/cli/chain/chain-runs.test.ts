import { describe, expect, it } from 'vitest';
import { newestToResume, runsText, runText } from '../../../../src/cli/chain/chain-runs.js';
import type { StoredRun } from '../../../../src/orchestra/runs.js';
import type { ResolvedStep, RunSummary, StepReport } from '../../../../src/orchestra/types.js';

const startedAt = '2026-01-31T22:00:00.000Z';
const runs: readonly RunSummary[] = [
  { runId: 'r3', chain: 'a', status: 'running', startedAt, cwd: '/w' },
  { runId: 'r2', chain: 'planner:3 -> builder', status: 'interrupted', startedAt, cwd: '/w' },
  { runId: 'r1', chain: 'a', status: 'completed', startedAt, cwd: '/w' },
];

describe('the runs of chains', () => {
  it('are listed as they come, newest first', () => {
    expect(runsText(runs, { home: '/home/me/.turnout', demoRuns: 0 })).toBe(
      [
        'RUN  STATUS       STARTED (UTC)        CHAIN                 DIRECTORY',
        'r3   running      2026-01-31 22:00:00  a                     /w',
        'r2   interrupted  2026-01-31 22:00:00  planner:3 -> builder  /w',
        'r1   completed    2026-01-31 22:00:00  a                     /w',
        '',
      ].join('\n'),
    );
    const none = 'No chain has been run yet: there is none in /home/me/.turnout.';
    expect(runsText([], { home: '/home/me/.turnout', demoRuns: 0 })).toBe(`${none}\n`);
    expect(runsText([], { home: '/home/me/.turnout', demoRuns: 2 })).toBe(
      `${none} With --demo there are 2.\n`,
    );
  });

  it('are resumed from the newest that did not come to its end', () => {
    expect(newestToResume(runs, '/w').runId).toBe('r2');
    expect(() => newestToResume(runs.slice(2), '/w')).toThrow('There is no run in /w to go on with.');
  });

  it('are shown with the end of what each step said, without what would steer the terminal', () => {
    const condition = { text: '${a.output} == x', left: '${a.output}', operator: '==', right: 'x' } as const;
    const step = (index: number): ResolvedStep => ({
      ...{ index, name: `s${index}`, agent: 'a', prompt: 'p', iterations: 1, loop: false, fresh: true },
      ...{ run: { type: 'agent', backend: 'claude', options: {}, live: false }, when: condition },
    });
    const reports: readonly StepReport[] = [
      {
        ...{ agent: 'a', backend: 'claude', status: 'done', iterations: 1, reason: 'single_run' },
        ...{ output: `${'line\n'.repeat(30)}the end\u001b[2J`, sessionId: 's-1' },
      },
      { agent: 'a', backend: 'claude', status: 'skipped', iterations: 0, output: '' },
    ];
    const stored: StoredRun = {
      report: { runId: 'r1', chain: 'c', status: 'completed', steps: reports },
      summary: { runId: 'r1', chain: 'c', status: 'completed', startedAt, cwd: '/w' },
      chain: {
        name: 'c',
        cwd: '/w',
        groups: [[step(0)], [step(1)]],
        nonce: false,
        variables: {},
        warnings: [],
      },
      ...{ startedAt, elapsedMs: 5000, checks: new Map(), reportFile: '/r.md' },
    };
    const lines = runText(stored, undefined).split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'Started 2026-01-31 22:00:00 (UTC) in /w.',
      'c: completed',
      '   1  a  claude  done        1 iteration, single_run',
      '   2  a  claude  skipped     ${a.output} == x did not hold',
      'run r1 · 5.0 s',
    ]);
    expect(lines).toContain('1. a: session s-1');
    expect(lines.slice(-3)).toEqual(['   line', '   the end␛[2J', '']);
    expect(lines.filter((line) => line === '   line')).toHaveLength(19);
    expect(runText(stored, 'turnout chain resume r1')).toContain('go on: turnout chain resume r1\n');
  });
});
