import { describe, expect, it } from 'vitest';
import { chooseReleases } from '../../../scripts/lab/releases.js';
import { compareVersions } from '../../../src/backends/launch/cli-version.js';

const now = new Date('2026-11-17T12:00:00Z');
const at = (day: string) => `${day}T10:00:00.000000+00:00`;

describe('the versions of a history run', () => {
  it('are the newest of each month before the current one, the pinned one and today’s, newest first', () => {
    const published = {
      '1.9.0': at('2026-08-31'),
      '1.10.0': at('2026-09-01'),
      '1.10.1': at('2026-09-30'),
      '1.11.0': at('2026-10-02'),
      '1.12.0': at('2026-11-03'),
      '1.12.1': at('2026-11-16'),
    };
    expect(chooseReleases(published, { months: 2, now, also: ['1.12.0', '1.12.1'] })).toEqual([
      '1.12.1',
      '1.12.0',
      '1.11.0',
      '1.10.1',
    ]);
  });

  it('are stable ones', () => {
    const published = {
      '2.0.0-rc.1': at('2026-10-30'),
      '1.0.0': at('2026-10-01'),
      modified: at('2026-10-31'),
    };
    expect(chooseReleases(published, { months: 1, now, also: [] })).toEqual(['1.0.0']);
  });

  it('are the highest of their month, whatever was published last', () => {
    const published = { '0.61.0': at('2026-10-03'), '0.1.1': at('2026-10-25') };
    expect(chooseReleases(published, { months: 1, now, also: [] })).toEqual(['0.61.0']);
  });

  it('are none of a month that brought only older ones', () => {
    const published = { '1.3.2': at('2026-09-01'), '1.1.53': at('2026-10-01') };
    expect(chooseReleases(published, { months: 2, now, also: [] })).toEqual(['1.3.2']);
  });

  it('reach over the turn of a year', () => {
    const published = { '1.0.0': at('2026-12-31'), '1.1.0': at('2027-01-31'), '0.9.0': at('2026-11-30') };
    const february = new Date('2027-02-01T00:00:00Z');
    expect(chooseReleases(published, { months: 2, now: february, also: [] })).toEqual(['1.1.0', '1.0.0']);
  });

  it('are compared by number', () => {
    expect(['0.9.10', '0.10.0', '0.9.9', '1.0.0'].sort(compareVersions)).toEqual([
      '0.9.9',
      '0.9.10',
      '0.10.0',
      '1.0.0',
    ]);
    expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
  });
});
