import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { compare } from '../../scripts/parity/compare.js';
import type { DeclaredDifference } from '../../scripts/parity/declared.js';
import type { Fact } from '../../scripts/parity/facts.js';
import { parityPage } from '../../scripts/parity/page.js';
import { comparedWays, type ParityRow, runParity } from '../../scripts/parity/run-parity.js';
import { parityScenarios } from '../../scripts/parity/scenarios.js';

const page = fileURLToPath(new URL('../../docs/parity.md', import.meta.url));

describe('the vendor’s SDK and Turnout tell the same (S8)', () => {
  let rows: readonly ParityRow[] = [];
  beforeAll(async () => {
    rows = await runParity();
    writeFileSync(page, parityPage(rows));
  }, 240_000);

  describe.each(comparedWays)('%s', (way) => {
    it.each(parityScenarios.map(({ id }) => id))('%s', (id) => {
      const cell = rows.find(({ scenario }) => scenario.id === id)?.cells[way];
      expect(cell).toBeDefined();
      expect(cell?.type === 'compared' ? cell.problems.join('\n') : '').toBe('');
    });
  });
});

describe('the comparison', () => {
  const said = (...texts: readonly string[]): readonly Fact[] =>
    texts.map((text) => ({ type: 'text', text }));
  const shorter: DeclaredDifference = {
    reason: 'The first piece is left out.',
    where: { 'claude live': ['pieces'] },
    takeOut: (facts) => facts.filter((fact) => fact.type !== 'text' || fact.text !== 'one'),
  };
  const problems = (
    sdk: readonly Fact[],
    turnout: readonly Fact[],
    ...declared: readonly DeclaredDifference[]
  ) => compare(sdk, turnout, declared, 'claude live', 'pieces').problems;

  it.each([
    ['a piece is missing', said('one', 'two'), said('one')],
    ['the order is another', said('one', 'two'), said('two', 'one')],
    ['the pieces are cut elsewhere', said('one', 'two'), said('onetwo')],
    ['there is one too many', said('one'), said('one', 'two')],
  ])('finds that %s', (_, sdk, turnout) => {
    expect(problems(sdk, turnout)).toHaveLength(1);
  });

  it('lets a declared difference pass, and no other', () => {
    expect(problems(said('one', 'two'), said('two'), shorter)).toEqual([]);
    expect(problems(said('one', 'two'), said('three'), shorter)).toHaveLength(1);
  });

  it('finds a declared difference that does not show', () => {
    expect(problems(said('one', 'two'), said('one', 'two'), shorter)).toEqual([
      'declared, but it does not show: The first piece is left out.',
    ]);
  });
});
