import { describe, expect, it } from 'vitest';
import { toStoreError } from '../../../../src/store/sqlite/sqlite-errors.js';

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
    [10, 'io'],
    [778, 'io'],
    [7, 'io'],
    [14, 'io'],
    [1, 'failed'],
    [18, 'failed'],
  ] as const)('%i is %s', (code, fault) => {
    expect(report(code)).toMatchObject({ fault, message: expect.stringContaining('/home/turnout.db') });
  });

  it.each([
    ['EACCES', 'read_only'],
    ['EPERM', 'read_only'],
    ['EROFS', 'read_only'],
    ['ENOSPC', 'full'],
    ['EIO', 'io'],
    ['EMFILE', 'io'],
    ['ENOTDIR', 'failed'],
  ])("the file system's %s is %s", (code, fault) => {
    expect(toStoreError(Object.assign(new Error('it says'), { code }), '/home/turnout.db').fault).toBe(fault);
    expect(toStoreError(undefined, '/home/turnout.db').fault).toBe('failed');
  });

  it('knows a full disk by its errno too', () => {
    expect(report(778, 28).fault).toBe('full');
    expect(report(778, 122).fault).toBe('full');
    expect(report(778, 5).fault).toBe('io');
  });
});
