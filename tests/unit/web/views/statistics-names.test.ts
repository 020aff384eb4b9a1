import { describe, expect, it } from 'vitest';
import type { StatisticsPointView } from '../../../../src/gateway/channels/http/wire.js';
import { bounded, renamed, uniqueNames } from '../../../../web/views/statistics-names.js';
import type { StatisticsTable } from '../../../../web/views/statistics-table.js';

function point(
  turns: number,
  medianMs = 100,
  errors: StatisticsPointView['errors'] = {},
): StatisticsPointView {
  return {
    ...{ at: '1970-01-01T00:00:00.000Z', turns, answered: turns, failed: 0, cancelled: 0, medianMs },
    ...{ slowestMs: medianMs, inputTokens: turns, outputTokens: 0, cachedInputTokens: 0, costUsd: 0, errors },
  };
}

const table: StatisticsTable = {
  steps: [0, 1000],
  stepMs: 1000,
  rows: [
    { key: 'a', points: [point(1, 10, { auth: 1 }), undefined] },
    { key: 'b', points: [undefined, point(9)] },
    { key: 'c', points: [point(2, 30, { auth: 1, crashed: 2 }), undefined] },
  ],
};

describe('statistics per channel (16.4)', () => {
  it('keep the busiest ones, and put the others together', () => {
    expect(bounded(table, 3)).toBe(table);
    const { rows } = bounded(table, 2);
    expect(rows.map(({ key }) => key.trim())).toEqual(['b', 'others']);
    expect(rows[1]?.points).toEqual([
      expect.objectContaining({ turns: 3, medianMs: 30, slowestMs: 30, errors: { auth: 2, crashed: 2 } }),
      undefined,
    ]);
  });

  it('are told by title, with the end of the id where a title is not the only one', () => {
    const titles = new Map([
      ['a', 'Fix the build'],
      ['b', 'Fix the build'],
    ]);
    const names = uniqueNames(['a', 'b', 'c', 'a'], titles);
    expect([...names.values()]).toEqual(['Fix the build · a', 'Fix the build · b', 'c']);
    expect(renamed(table, names).rows.map(({ key }) => key)).toEqual([...names.values()]);
  });
});
