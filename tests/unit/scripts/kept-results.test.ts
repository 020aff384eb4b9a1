import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeptResultsFile } from '../../../scripts/lab/kept-results.js';
import { cannotRun, foldResults } from '../../../src/lab/compatibility.js';
import type { Scenario } from '../../../src/lab/scenario.js';
import { directoryWith } from '../gateway/temporary-directory.js';

const pinned = { claude: '2.1.2', codex: '0.2.0', gemini: '0.3.0', opencode: '1.1.0' };
const results = foldResults([], '2026-11-17');

it('a run updates its own columns only, and the page with them', async () => {
  const directory = await directoryWith({});
  const kept = new KeptResultsFile(directory, pinned, []);
  kept.put('codex', '0.2.0', results);
  kept.put('claude', '2.1.2', results);
  kept.put('claude', '2.1.10', cannotRun('no binary', '2026-11-01'));
  kept.put('claude', '2.1.2', { ...results, ranOn: '2026-11-18' });
  const read = new KeptResultsFile(directory, pinned, []).read();
  expect(Object.keys(read)).toEqual(['claude', 'codex']);
  expect(Object.entries(read.claude ?? {}).map(([version, { ranOn }]) => [version, ranOn])).toEqual([
    ['2.1.10', '2026-11-01'],
    ['2.1.2', '2026-11-18'],
  ]);
  expect(readFileSync(join(directory, 'compatibility.md'), 'utf8')).toContain('2.1.10: can’t run: no binary');
  expect(readdirSync(directory).sort()).toEqual(['compatibility.json', 'compatibility.md']);
});

it('a history run drops the columns that are out of its window, but never the pinned one', async () => {
  const kept = new KeptResultsFile(await directoryWith({}), pinned, []);
  for (const version of ['2.0.1', '2.1.2', '2.1.3']) kept.put('claude', version, results);
  kept.put('codex', '0.1.0', results);
  kept.keepOnly('claude', ['2.1.3']);
  expect(Object.keys(kept.read().claude ?? {})).toEqual(['2.1.3', '2.1.2']);
  expect(Object.keys(kept.read().codex ?? {})).toEqual(['0.1.0']);
});

it('the list of vetted versions has the pinned one first, then those that passed everything', async () => {
  const directory = await directoryWith({});
  const vetted = join(directory, 'vetted.json');
  const scenario = { id: 'tool' } as Scenario;
  const kept = new KeptResultsFile(directory, pinned, [scenario], vetted);
  const after = (state: 'passed' | 'failed' | 'skipped') => ({ ...results, states: { tool: state } });
  kept.put('claude', '2.1.2', after('passed'));
  kept.put('claude', '2.1.9', after('passed'));
  kept.put('claude', '2.1.10', after('skipped'));
  kept.put('claude', '2.1.8', after('failed'));
  kept.put('claude', '2.1.7', cannotRun('no binary', '2026-11-01'));
  kept.put('claude', '2.1.6', results);
  expect(JSON.parse(readFileSync(vetted, 'utf8'))).toEqual({
    claude: ['2.1.2', '2.1.10', '2.1.9'],
    codex: ['0.2.0'],
    gemini: ['0.3.0'],
    opencode: ['1.1.0'],
  });
});

it('only the pinned versions and those with a column have one', async () => {
  const kept = new KeptResultsFile(await directoryWith({}), pinned, []);
  kept.put('claude', '2.0.1', results);
  expect(kept.hasColumn('claude', '2.0.1')).toBe(true);
  expect(kept.hasColumn('claude', '2.1.2')).toBe(true);
  expect(kept.hasColumn('claude', '2.0.2')).toBe(false);
  expect(kept.hasColumn('codex', '2.0.1')).toBe(false);
});
