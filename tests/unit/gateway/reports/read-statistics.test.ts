import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatisticsQuery } from '../../../../src/gateway/channels/lookups.js';
import { readStatistics } from '../../../../src/gateway/reports/read-statistics.js';
import type { StatisticsSlice, TurnEndPlace } from '../../../../src/store/store.js';

interface Turn {
  readonly key: string;
  readonly at: number;
  readonly ms: number;
}

/** A store in memory with nothing but answered turns; `slices` are those that it was asked for. */
function storeOf(turns: readonly Turn[]) {
  const slices: StatisticsSlice[] = [];
  const ended = turns
    .map((turn, nth) => ({ ...turn, seq: nth + 1 }))
    .sort((one, other) => one.at - other.at || one.seq - other.seq);
  const isBehind = ({ at, seq }: { at: number; seq: number }, place: TurnEndPlace) =>
    at > place.endedAt || (at === place.endedAt && seq > place.seq);
  const within = ({ behind, upTo, only }: StatisticsSlice) =>
    ended.filter(
      (turn) => isBehind(turn, behind) && !isBehind(turn, upTo) && (only?.includes(turn.key) ?? true),
    );
  const keysOf = (some: readonly Turn[]) => [...new Set(some.map(({ key }) => key))].sort();
  return {
    slices,
    statistics: async (slice: StatisticsSlice) => {
      slices.push(slice);
      const some = within(slice);
      return keysOf(some).map((key) => {
        const own = some.filter((turn) => turn.key === key);
        const counts = { turns: own.length, answered: own.length, failed: 0, cancelled: 0 };
        const used = { inputTokens: own.length, outputTokens: 0, cachedInputTokens: 0, costUsd: 0.5 };
        return { key, ...counts, ms: own.map(({ ms }) => ms), ...used, errors: { auth: 1 } };
      });
    },
    countTurns: async (slice: StatisticsSlice) =>
      keysOf(within(slice)).map((key) => ({
        key,
        turns: within(slice).filter((turn) => turn.key === key).length,
      })),
    turnPlace: async (from: TurnEndPlace, count: number) => {
      const found = ended.filter((turn) => isBehind(turn, from))[count - 1];
      return found && { endedAt: found.at, seq: found.seq };
    },
  };
}

const query: StatisticsQuery = { by: 'channel', since: 0, until: 100, stepMs: 10, maxSeries: 2 };

describe('statistics over time (16.4)', () => {
  it('are of the busiest, in steps; what was read in pieces is put together', async () => {
    const turns = [
      ...[1, 2, 3, 4, 12].map((at) => ({ key: 'a', at, ms: at * 10 })),
      ...[5, 5, 5, 5, 5, 95].map((at, i) => ({ key: 'b', at, ms: i })),
      { key: 'rare', at: 50, ms: 1 },
    ];
    const store = storeOf(turns);
    const { series } = await readStatistics(store, query, { turnsAtOnce: 2 });
    expect(series.map(({ key, points }) => [key, points.map(({ at, turns: n }) => [at, n])])).toEqual([
      [
        'b',
        [
          [0, 5],
          [90, 1],
        ],
      ],
      [
        'a',
        [
          [0, 4],
          [10, 1],
        ],
      ],
    ]);
    expect(series[1]?.points[0]).toMatchObject({
      medianMs: 25,
      slowestMs: 40,
      inputTokens: 4,
      errors: { auth: 2 },
    });
    expect(store.slices.length).toBeGreaterThan(10);
  });

  it('don’t depend on the pieces that they are read in', async () => {
    const turn = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      at: fc.integer({ min: 0, max: 99 }),
      ms: fc.integer({ min: 0, max: 1000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        async (turns, size) => {
          const shown = async (turnsAtOnce: number) =>
            (await readStatistics(storeOf(turns), query, { turnsAtOnce })).series.map(({ key, points }) => [
              key,
              points.map(({ costUsd: _, errors: __, ...point }) => point),
            ]);
          expect(await shown(size)).toEqual(await shown(1000));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are empty without turns', async () => {
    expect(await readStatistics(storeOf([]), query)).toEqual({ medianMs: 0, series: [] });
  });

  it('have one median, whatever the turns are grouped by, and however many series are shown (16.4)', async () => {
    const times = [1, 2, 3, 100, 200];
    const alike = storeOf(times.map((ms) => ({ key: 'claude', at: 1, ms })));
    const apart = storeOf(times.map((ms) => ({ key: `room ${ms}`, at: ms / 10, ms })));
    expect((await readStatistics(alike, query)).medianMs).toBe(3);
    expect((await readStatistics(apart, query)).medianMs).toBe(3);
  });
});
