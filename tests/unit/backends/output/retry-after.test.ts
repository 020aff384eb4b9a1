import { describe, expect, it } from 'vitest';
import { retryAfterIn } from '../../../../src/backends/output/retry-after.js';
import { cpuMs } from '../../../machine-speed.js';

const now = Date.UTC(2026, 10, 17, 16, 42, 0);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

describe('the time until a limit ends, from the words of the CLIs and the APIs', () => {
  it.each([
    ['Please try again in 11.054s.', 11_054],
    ['Please try again in 500ms', 500],
    ['Please retry in 34.07s', 34_070],
    ['Your quota will reset after 3h12m5s.', 3 * hour + 12 * minute + 5 * second],
    ['try again in 2 days 3 hours', 51 * hour],
    ['Try again in 1 hour and 5 minutes.', 65 * minute],
    ['usage limit reached|1794941320', 1794941320_000 - now],
    ['the limit resets at 2026-11-17T17:00:00.000Z', 18 * minute],
    ["You've hit your limit · resets 6pm (Europe/Zurich)", 18 * minute],
    ['resets 8:42am (America/Los_Angeles)', 0],
    ['resets Nov 18, 4:42pm (UTC)', 24 * hour],
    ['try again at Nov 18th, 2026 4:42 PM (UTC).', 24 * hour],
    ['resets 3pm (UTC)', 22 * hour + 18 * minute],
    ['Limit reached · resets Jan 2, 1pm (UTC)', Date.UTC(2027, 0, 2, 13) - now],
  ])('%s', (words, expected) => {
    expect(retryAfterIn(words, now)).toBe(expected);
  });

  it('a clock without a zone is the one of this machine', () => {
    const local = new Date(now + 90 * minute);
    const half = local.getHours() < 12 ? 'AM' : 'PM';
    const shown = `${local.getHours() % 12 || 12}:${String(local.getMinutes()).padStart(2, '0')} ${half}`;
    expect(retryAfterIn(`You’ve hit your usage limit, try again at ${shown}.`, now)).toBe(90 * minute);
  });

  it.each([
    'slow down',
    'Please try again later.',
    'retry 3 of 10',
    'try again at noon',
    'It took 20s.',
    'resets 3pm (Nowhere/At_All) 2026',
    'usage limit reached|1000000000',
  ])('%s: nothing, or our own zone', (words) => {
    const found = retryAfterIn(words, now);
    if (words.startsWith('resets 3pm')) expect(found).toBeGreaterThanOrEqual(0);
    else expect(found).toBeUndefined();
  });

  it('takes little time, whatever the words repeat', () => {
    const parts = [
      ' ',
      '1',
      '1s',
      '1.',
      '1 s, ',
      '1s and ',
      ' and',
      'retry ',
      'retry in 1s, ',
      'resets nov ',
      'try again 1',
      'retry ~',
      'wait  ',
      '1d1h',
      'available again ',
      ':',
      '2026-11-17T',
    ];
    for (const part of parts)
      for (const introduction of [
        '',
        'retry',
        'retry in ',
        'resets nov 1',
        'retry 1s',
        'resets 3pm (',
        'limit reached|',
      ]) {
        const began = cpuMs();
        retryAfterIn(introduction + part.repeat(100_000 / part.length), now);
        expect(cpuMs() - began, `${introduction}, ${part}`).toBeLessThan(1000);
      }
  });

  it('is found at the end of long words too', () => {
    expect(retryAfterIn(`${'x'.repeat(100_000)} try again in 20s`, now)).toBe(20 * second);
  });
});
