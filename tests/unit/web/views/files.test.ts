import { describe, expect, it } from 'vitest';
import type { ChangedFileView } from '../../../../src/gateway/channels/http/wire.js';
import { nextFile, openAtFirst } from '../../../../web/views/file-list.js';

const file = (path: string, additions = 10): ChangedFileView => ({
  path,
  status: 'modified',
  binary: false,
  additions,
  deletions: 0,
  changedSince: false,
  shown: 'id',
});

describe('the list of changed files', () => {
  it('opens what can be read in one go, and nothing that a program wrote (16.4)', () => {
    const files = [
      file('a.ts'),
      file('package-lock.json'),
      file('dist/x.js'),
      file('long.ts', 401),
      file('b.ts'),
    ];
    expect([...openAtFirst(files)]).toEqual(['a.ts', 'b.ts']);
    expect(openAtFirst(Array.from({ length: 99 }, (_, nth) => file(`${nth}`))).size).toBe(12);
    expect(openAtFirst(Array.from({ length: 9 }, (_, nth) => file(`${nth}`, 250))).size).toBe(2);
    expect(openAtFirst([]).size).toBe(0);
  });

  it('opens the only file however long it is (16.4)', () => {
    expect([...openAtFirst([file('package-lock.json', 9_000)])]).toEqual(['package-lock.json']);
  });

  it('leads from file to file with j and k, and not beyond its ends (16.4)', () => {
    expect(nextFile('j', -1, 3)).toBe(0);
    expect(nextFile('j', 1, 3)).toBe(2);
    expect(nextFile('j', 2, 3)).toBeUndefined();
    expect(nextFile('k', 2, 3)).toBe(1);
    expect(nextFile('k', 0, 3)).toBeUndefined();
    expect(nextFile('x', 1, 3)).toBeUndefined();
  });
});
