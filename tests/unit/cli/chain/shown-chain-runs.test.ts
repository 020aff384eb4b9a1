import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownChainRuns } from '../../../../src/cli/chain/shown-chain-runs.js';

let home: string;
let warnings: string[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnout-runs-'));
  warnings = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const runs = () => shownChainRuns([home], (message) => warnings.push(message));
const at = '2026-01-02T03:04:05.000Z';

function journal(runId: string, ...entries: readonly unknown[]): string {
  const step = { index: 0, name: 'plan', agent: 'planner', run: { type: 'agent', backend: 'claude' } };
  const chain = { name: 'nightly', cwd: '/work', groups: [[step]], variables: {}, warnings: [] };
  const directory = join(home, 'runs', runId);
  mkdirSync(directory, { recursive: true });
  const lines = [{ type: 'run', version: 1, runId, chain }, ...entries];
  const file = join(directory, 'journal.jsonl');
  writeFileSync(
    file,
    lines.map((entry) => `${JSON.stringify({ at, ms: 1, ...(entry as object) })}\n`).join(''),
  );
  return file;
}

const report = (output: string) => ({
  ...{ name: 'plan', agent: 'planner', backend: 'claude', status: 'done', iterations: 2, reason: 'marker' },
  ...{ output, sessionId: 's', usage: { inputTokens: 1, outputTokens: 2 }, verified: true },
});
const ended = (output = 'all done') => [
  { type: 'step_ended', step: 0, report: report(output) },
  { type: 'run_ended', status: 'completed' },
];

describe('the runs of chains that the gateway shows', () => {
  it('come newest first, and each with its steps (16.2)', async () => {
    journal('20260101-a', ...ended());
    journal('20260102-b');
    expect(await runs().list(10)).toEqual([
      { runId: '20260102-b', chain: 'nightly', status: 'interrupted', startedAt: at, cwd: '/work' },
      { runId: '20260101-a', chain: 'nightly', status: 'completed', startedAt: at, cwd: '/work' },
    ]);
    expect(await runs().list(1)).toHaveLength(1);
    const { sessionId: _, ...step } = report('all done');
    expect(await runs().read('20260101-a')).toEqual({
      ...{ runId: '20260101-a', chain: 'nightly', status: 'completed', startedAt: at, endedAt: at },
      steps: [step],
    });
  });

  it('of several homes come in one order: a demo shows its own, and the user’s (16.4)', async () => {
    const file = journal('20260101-a', ...ended());
    journal('20260103-c', ...ended());
    const other = join(home, 'demo');
    mkdirSync(join(other, 'runs', '20260102-b'), { recursive: true });
    const text = readFileSync(file, 'utf8').replaceAll('20260101-a', '20260102-b');
    writeFileSync(join(other, 'runs', '20260102-b', 'journal.jsonl'), text);
    const both = shownChainRuns([other, home], (message) => warnings.push(message));
    expect((await both.list(10)).map(({ runId }) => runId)).toEqual([
      '20260103-c',
      '20260102-b',
      '20260101-a',
    ]);
    expect(await both.list(1)).toHaveLength(1);
    expect(await both.read('20260102-b')).toMatchObject({ status: 'completed' });
    expect(await both.read('20260101-a')).toMatchObject({ status: 'completed' });
  });

  it.each(['20260101', '', '.', '..', '../runs/20260101-a', 'x/y', 'a\0b'])(
    'has no run %j (16.2)',
    async (id) => {
      journal('20260101-a', ...ended());
      expect(await runs().read(id)).toBeUndefined();
    },
  );

  it('a damaged one hides no other, and is told once (16.2)', async () => {
    writeFileSync(journal('20260103-c'), 'garbage\n');
    journal('20260101-a', ...ended());
    const shown = runs();
    for (let i = 0; i < 2; i += 1) {
      expect((await shown.list(10)).map(({ runId }) => runId)).toEqual(['20260101-a']);
    }
    expect(warnings).toEqual([expect.stringContaining('20260103-c')]);
    await expect(shown.read('20260103-c')).rejects.toThrow('is damaged in line 1');
  });

  it('a huge journal is listed by its ends, and not read (16.2)', async () => {
    const file = journal('20260101-a', { type: 'step_begun', step: 0 });
    truncateSync(file, 3 * 1024 ** 3);
    const [, last] = ended();
    appendFileSync(file, `\n${JSON.stringify({ at, ms: 1, ...last })}\n`);
    expect(await runs().list(10)).toMatchObject([{ runId: '20260101-a', status: 'completed' }]);
    await expect(runs().read('20260101-a')).rejects.toThrow('too long to be shown here');
  });

  it('a long last line is no end, and a long output is shown from its end (16.2)', async () => {
    const [step] = ended(`${'x'.repeat(100_000)} the end`);
    journal('20260101-a', step);
    expect(await runs().list(10)).toMatchObject([{ status: 'interrupted' }]);
    const output = (await runs().read('20260101-a'))?.steps[0]?.output ?? '';
    expect(output).toMatch(/^… \(\d+ characters left out\)\nx+ the end$/);
    expect(output.length).toBeLessThan(70_000);
  });
});
