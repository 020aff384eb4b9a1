import { describe, expect, it } from 'vitest';
import { markdownReport } from '../../../src/orchestra/run-report.js';
import type { StoredRun } from '../../../src/orchestra/runs.js';
import type { ResolvedStep, StepReport } from '../../../src/orchestra/types.js';

const step: ResolvedStep = {
  ...{ index: 0, name: 'builder', agent: 'builder', prompt: 'Build it.', iterations: 20, loop: true },
  ...{ fresh: true, verify: 'npm test', run: { type: 'agent', backend: 'codex', options: {}, live: true } },
};
const done: StepReport = {
  ...{ agent: 'builder', backend: 'codex', status: 'done', iterations: 3, reason: 'marker' },
  ...{ output: 'All built.', sessionId: 's-1', verified: true },
  usage: { inputTokens: 1200, outputTokens: 34, costUsd: 0.5 },
};

function stored(
  report: Partial<StepReport> = {},
  status: StoredRun['report']['status'] = 'completed',
): StoredRun {
  const startedAt = '2026-01-31T22:00:00.000Z';
  return {
    report: { runId: 'r1', chain: 'build-all', status, steps: [{ ...done, ...report }] },
    summary: { runId: 'r1', chain: 'build-all', status, startedAt, cwd: '/w' },
    chain: {
      ...{ name: 'build-all', file: 'chains.json', cwd: '/srv/my project', groups: [[step]] },
      ...{ nonce: false, variables: { TASK: '7' }, warnings: ['x is ignored'] },
    },
    startedAt,
    endedAt: '2026-02-01T05:30:00.000Z',
    elapsedMs: 27_000_000,
    checks: new Map([[0, { iteration: 3, passed: true, output: '12 tests passed' }]]),
    reportFile: '/home/runs/r1/report.md',
  };
}

describe('the report of a run', () => {
  it('says what was done, when, how long, at what cost, and how to go on in the session', () => {
    const report = markdownReport(stored());
    for (const part of [
      '# build-all: completed\n',
      '- run `r1`, started 2026-01-31 22:00:00, ended 2026-02-01 05:30:00 (UTC), 7 h 30 min at work\n',
      '- in `/srv/my project`, from `chains.json`\n',
      '- 1,200 tokens in, 34 out, $0.5000\n',
      '- with `TASK=7`\n',
      '- warning: x is ignored\n',
      '| 1 | builder | codex | done | 3 | marker | passed | 1,200 tokens in, 34 out, $0.5000 |\n',
      '## 1. builder: done (marker)\n',
      'Prompt:\n\n```text\nBuild it.\n```\n',
      'Output:\n\n```text\nAll built.\n```\n',
      'Verify: `npm test`\n\nIt passed after iteration 3.\n\n```text\n12 tests passed\n```\n',
      "`turnout run --backend codex --cwd '/srv/my project' --resume s-1`",
    ])
      expect(report).toContain(part);
    expect(report).not.toContain('chain resume');
  });

  it('says of a failure what to do, and how to resume', () => {
    const error = { code: 'auth', message: 'Not signed in.' } as const;
    const report = markdownReport(stored({ status: 'failed', reason: 'error', error }, 'failed'));
    expect(report).toContain('Go on with it: `turnout chain resume r1`\n');
    expect(report).toContain('**auth**\n\n```text\nNot signed in.\n```\n\nSign in with the CLI itself');
  });

  it('holds whatever a model says inside its block', () => {
    const output = 'a\n```\n# not a heading\n`````\n<script>x</script>\n\u001b[2J\r\nend';
    const lines = markdownReport(stored({ output })).split('\n');
    const open = lines.indexOf('``````text');
    expect(open).toBeGreaterThan(0);
    const block = lines.slice(open + 1, lines.indexOf('``````', open + 1));
    expect(block).toEqual(['a', '```', '# not a heading', '`````', '<script>x</script>', '␛[2J', 'end']);
  });

  it('lets no name break a heading or the table', () => {
    const agent = 'x | y\n# z <b> `c`';
    const report = markdownReport(stored({ agent }));
    const safe = 'x \\| y \\# z \\<b\\> \\`c\\`';
    expect(report).toContain(`| 1 | ${safe} | codex |`);
    expect(report).toContain(`## 1. ${safe}: done`);
  });

  it('cuts a long prompt in the middle', () => {
    const chain = { ...stored().chain, groups: [[{ ...step, prompt: `begin${'x'.repeat(10_000)}end` }]] };
    const report = markdownReport({ ...stored(), chain });
    expect(report).toMatch(/\nbeginx+\n… \(6008 characters left out\)\nx+end\n/);
  });
});
