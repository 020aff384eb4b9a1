import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatisticsPointView } from '../../../../src/gateway/channels/http/wire.js';
import { dollars, duration, shortNumber } from '../../../../web/views/numbers-in-words.js';
import { durationTicks, heightAt, labelledSteps, numberTicks, stack } from '../../../../web/views/scales.js';
import {
  errorCodes,
  readStatistics,
  seriesByKey,
  seriesByKind,
  totalsOf,
  withoutKeys,
} from '../../../../web/views/statistics-table.js';
import { boundsOf, timeRanges } from '../../../../web/views/time-ranges.js';

describe('an axis', () => {
  it('has its marks at round numbers (16.4)', () => {
    expect(numberTicks(7)).toEqual([0, 2, 4, 6, 8]);
    expect(numberTicks(20)).toEqual([0, 5, 10, 15, 20]);
    expect(numberTicks(1, { whole: true })).toEqual([0, 1]);
    expect(numberTicks(3, { whole: true })).toEqual([0, 1, 2, 3]);
    expect(numberTicks(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(numberTicks(0)).toEqual([0, 0.5, 1]);
    expect(durationTicks(50_000)).toEqual([0, 15_000, 30_000, 45_000, 60_000]);
    expect(durationTicks(36_000_000)).toEqual([0, 5, 10].map((hours) => hours * 3_600_000));
  });

  it('reaches over every value with a few even marks (16.4)', () => {
    const anyMax = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
    for (const ticksOf of [(max: number) => numberTicks(max), durationTicks]) {
      fc.assert(
        fc.property(anyMax, (max) => {
          const ticks = ticksOf(max);
          expect(ticks[0]).toBe(0);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-8));
          expect(ticks.length).toBeGreaterThan(1);
          expect(ticks.length).toBeLessThanOrEqual(6);
        }),
      );
    }
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(numberTicks(odd).length).toBeLessThan(7);
      expect(durationTicks(odd).length).toBeLessThan(7);
    }
  });

  it('puts values between top and bottom (16.4)', () => {
    expect(heightAt(5, 10, 100)).toBe(50);
    expect(heightAt(99, 10, 100)).toBe(0);
    expect(heightAt(-1, 10, 100)).toBe(100);
    expect(heightAt(1, 0, 100)).toBe(100);
  });

  it('is labelled at round hours, or at midnight (16.4)', () => {
    const from = new Date(2026, 5, 10, 5).getTime();
    const steps = (count: number, hours: number, start = from) =>
      Array.from({ length: count }, (_, nth) => start + nth * hours * 3_600_000);
    const hoursAt = (list: readonly number[], found: readonly number[]) =>
      found.map((nth) => new Date(list[nth] ?? 0).getHours());
    const day = steps(24, 1);
    expect(hoursAt(day, labelledSteps(day, 3_600_000, 8.5))).toEqual([6, 9, 12, 15, 18, 21, 0, 3]);
    const week = steps(28, 6, new Date(2026, 5, 10, 12).getTime());
    expect(labelledSteps(week, 6 * 3_600_000, 7)).toEqual([2, 6, 10, 14, 18, 22, 26]);
    expect(labelledSteps(week, 6 * 3_600_000, 4)).toEqual([2, 10, 18, 26]);
    expect(labelledSteps(steps(30, 24), 86_400_000, 6)).toEqual([0, 5, 10, 15, 20, 25]);
    expect(labelledSteps(steps(3, 24), 86_400_000, 0)).toEqual([0]);
    expect(labelledSteps([], 3_600_000, 5)).toEqual([]);
    expect(labelledSteps(steps(400, 6), 6 * 3_600_000, 1).length).toBeLessThan(20);
  });

  it('stacks series without gaps (16.4)', () => {
    const values = fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (series) => {
        const stacked = stack(series);
        for (let step = 0; step < 4; step++) {
          let top = 0;
          for (const [nth, bars] of stacked.entries()) {
            expect(bars[step]).toEqual([top, top + Math.max(0, series[nth]?.[step] ?? 0)]);
            top = bars[step]?.[1] ?? 0;
          }
        }
      }),
    );
  });
});

describe('statistics', () => {
  const point = (at: string, more: Partial<StatisticsPointView> = {}): StatisticsPointView => ({
    at,
    turns: 1,
    answered: 1,
    failed: 0,
    cancelled: 0,
    medianMs: 1_000,
    slowestMs: 2_000,
    inputTokens: 10,
    outputTokens: 5,
    cachedInputTokens: 4,
    costUsd: 0.5,
    errors: {},
    ...more,
  });
  const table = readStatistics({
    since: '2026-11-17T00:30:00.000Z',
    until: '2026-11-17T04:00:00.000Z',
    medianMs: 4_000,
    stepSeconds: 3_600,
    series: [
      {
        key: 'claude',
        points: [
          point('2026-11-17T00:00:00.000Z'),
          point('2026-11-17T03:00:00.000Z', {
            turns: 3,
            failed: 1,
            medianMs: 9_000,
            errors: { rate_limit: 1 },
          }),
        ],
      },
      { key: 'codex', points: [point('2026-11-17T01:00:00.000Z', { errors: { timeout: 2, auth: 1 } })] },
    ],
  });

  it('get the steps that the gateway leaves out (16.4)', () => {
    expect(table.steps.map((step) => new Date(step).toISOString().slice(11, 16))).toEqual([
      '00:00',
      '01:00',
      '02:00',
      '03:00',
    ]);
    expect(seriesByKey(table, ({ turns }) => turns)).toEqual([
      { name: 'claude', values: [1, undefined, undefined, 3] },
      { name: 'codex', values: [undefined, 1, undefined, undefined] },
    ]);
  });

  it('are summed up by kind, without the kinds that never occur (16.4)', () => {
    expect(
      seriesByKind(table, [
        ['in', ({ inputTokens }) => inputTokens],
        ['never', () => 0],
      ]),
    ).toEqual([{ name: 'in', values: [10, 10, 0, 10] }]);
    expect(errorCodes(table)).toEqual(['timeout', 'rate_limit', 'auth']);
    expect(totalsOf(table)).toMatchObject({
      turns: 5,
      failed: 1,
      medianMs: 4_000,
      slowestMs: 2_000,
      costUsd: 1.5,
    });
    expect(totalsOf(withoutKeys(table, new Set(['claude'])))).toMatchObject({ turns: 1, medianMs: 1_000 });
  });

  it('of nothing are empty, also with times that are none (16.4)', () => {
    const empty = {
      since: '2026-11-17T00:00:00Z',
      until: '2026-11-18T00:00:00Z',
      stepSeconds: 3_600,
      medianMs: 0,
      series: [],
    };
    expect(readStatistics(empty).steps).toHaveLength(24);
    expect(totalsOf(readStatistics(empty))).toMatchObject({ turns: 0, medianMs: 0 });
    expect(readStatistics({ ...empty, since: 'x' }).steps).toEqual([]);
    expect(readStatistics({ ...empty, stepSeconds: 1 }).steps.length).toBeLessThanOrEqual(400);
  });

  it('are asked for in steps of which the last one holds the present (16.4)', () => {
    const now = new Date('2026-11-17T13:45:00.000Z');
    for (const range of timeRanges) {
      const { since, until } = boundsOf(range, now);
      expect(Date.parse(until) - Date.parse(since)).toBe(range.rangeMs);
      expect(Date.parse(until)).toBeGreaterThan(now.getTime());
      expect(Date.parse(until) - range.stepSeconds * 1_000).toBeLessThanOrEqual(now.getTime());
      expect(range.rangeMs / 1_000 / range.stepSeconds).toBeLessThanOrEqual(40);
    }
  });
});

describe('numbers in words', () => {
  it('are short (16.4)', () => {
    expect([850, 1_500, 12_300, 59_700, 60_000, 200_000, 7_500_000].map(duration)).toEqual([
      '850 ms',
      '1.5 s',
      '12 s',
      '1 min',
      '1 min',
      '3 min 20 s',
      '2 h 5 min',
    ]);
    expect(duration(Number.NaN)).toBe('–');
    expect([0, 0.00123, 0.5, 12].map(dollars)).toEqual(['$0', '$0.0012', '$0.50', '$12.00']);
    expect(shortNumber(12_345)).toBe('12.3K');
  });
});
