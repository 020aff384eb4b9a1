import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitedJson, maxArchivedBytes } from '../../../../src/store/sqlite/archive.js';
import { createIds } from '../../../../src/store/sqlite/ids.js';
import { toStoreError } from '../../../../src/store/sqlite/sqlite-errors.js';

describe('ids', () => {
  it('sort by time, also within a millisecond and when the clock steps back', () => {
    const clock = [5, 5, 5, 9, 3, 9, 10, 1];
    const newId = createIds(() => clock.shift() ?? 0);
    const ids = Array.from({ length: 100 }, () => newId('evt'));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(100);
    expect(ids[0]).toMatch(/^evt_[0-9a-z]{25}$/);
  });

  it('are never the same in two processes', () => {
    const [one, other] = [createIds(() => 1), createIds(() => 1)];
    expect(one('evt')).not.toBe(other('evt'));
  });

  it('go on when a millisecond has too many', () => {
    const newId = createIds(() => 1);
    const ids = Array.from({ length: 40_000 }, () => newId('x').slice(0, 15));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('archived JSON', () => {
  it('is never over its limit, always JSON, and the same when it is short', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'binary' }),
        fc.nat({ max: 80_000 }),
        (value, unit, times) => {
          const event = { type: 'tool_end', value, output: unit.repeat(times).slice(0, 200_000) };
          const json = limitedJson(event);
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(maxArchivedBytes);
          expect(JSON.parse(json)).toMatchObject({ type: 'tool_end' });
          const whole = JSON.stringify(event);
          if (Buffer.byteLength(whole) <= maxArchivedBytes) expect(json).toBe(whole);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('says how much was cut', () => {
    const cut = JSON.parse(limitedJson({ type: 'text', text: 'x'.repeat(100_000) }));
    expect(cut.text).toMatch(/^x{16384}… \[83616 characters cut\]$/);
  });

  it('is shortened as a whole when it has too many pieces', () => {
    const json = limitedJson({ type: 'tool_start', input: Array.from({ length: 50_000 }, (_, i) => i) });
    expect(JSON.parse(json)).toMatchObject({
      type: 'tool_start',
      cut: expect.stringContaining('characters cut'),
    });
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(maxArchivedBytes);
  });

  it('takes what has no JSON', () => {
    expect(limitedJson(undefined)).toBe('null');
  });
});

describe('what SQLite reports', () => {
  const report = (errcode: number, systemErrno?: number) =>
    toStoreError(Object.assign(new Error('it says'), { errcode, systemErrno }), '/home/turnout.db');

  it.each([
    [5, 'locked'],
    [517, 'locked'],
    [6, 'locked'],
    [8, 'read_only'],
    [1032, 'read_only'],
    [11, 'corrupt'],
    [267, 'corrupt'],
    [26, 'corrupt'],
    [13, 'full'],
    [10, 'failed'],
    [778, 'failed'],
    [1, 'failed'],
  ] as const)('%i is %s', (code, fault) => {
    expect(report(code)).toMatchObject({ fault, message: expect.stringContaining('/home/turnout.db') });
  });

  it.each([
    ['EACCES', 'read_only'],
    ['EPERM', 'read_only'],
    ['EROFS', 'read_only'],
    ['ENOSPC', 'full'],
    ['ENOTDIR', 'failed'],
  ])("the file system's %s is %s", (code, fault) => {
    expect(toStoreError(Object.assign(new Error('it says'), { code }), '/home/turnout.db').fault).toBe(fault);
    expect(toStoreError(undefined, '/home/turnout.db').fault).toBe('failed');
  });

  it('knows a full disk by its errno too', () => {
    expect(report(778, 28).fault).toBe('full');
    expect(report(778, 122).fault).toBe('full');
    expect(report(778, 5).fault).toBe('failed');
  });
});
