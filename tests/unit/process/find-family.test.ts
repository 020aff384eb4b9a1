import { describe, expect, it } from 'vitest';
import { closeOver } from '../../../src/process/find-family.js';
import { residentBytes } from '../../../src/process/measure-memory.js';
import {
  isAlive,
  type ProcessRow,
  readProcessTable,
  readProcessTableNow,
} from '../../../src/process/process-table.js';
import { readRow } from '../../../src/process/read-proc.js';
import { hasProc } from '../../../src/process/system.js';
import { goWay, startFixture, ways } from './start-fixture.js';

const row = (pid: number, parent: number, session: number): ProcessRow => ({
  pid,
  parent,
  group: session,
  session,
  start: pid,
});
// In numbers that no process has, so that our own pid can't be among them.
const n = (pid: number) => 10_000_000 + pid;
const table = [
  row(n(1), 1, n(1)),
  row(n(3), n(2), n(3)), // a child of a child, listed before its parent
  row(n(2), n(1), n(1)),
  row(n(4), 1, n(3)), // its parent is gone, its session tells
  row(n(5), 1, n(5)),
  row(n(6), n(5), n(5)),
];

describe('closeOver', () => {
  const pids = (seed: number, sessions: boolean) =>
    closeOver(table, ({ pid }) => pid === n(seed), { sessions })
      .map(({ pid }) => pid - n(0))
      .sort();

  it('follows parents and sessions to the end', () => {
    expect(pids(1, true)).toEqual([1, 2, 3, 4]);
    expect(pids(6, true)).toEqual([5, 6]);
  });

  it('follows parents alone when told to', () => {
    expect(pids(1, false)).toEqual([1, 2, 3]);
    expect(pids(6, false)).toEqual([6]);
  });

  it('never takes in our own process', () => {
    const own = { ...row(process.pid, n(1), n(1)) };
    expect(closeOver([...table, own], () => true, { sessions: true })).not.toContain(own);
  });
});

describe.each(ways.filter((way) => way !== 'cgroups'))('the process table by %s', (way) => {
  goWay(way);

  it('knows our own process and its children', async () => {
    const child = await startFixture('never-read.mjs');
    for (const rows of [await readProcessTable(), readProcessTableNow()]) {
      expect(rows.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
      expect(rows.find(({ pid }) => pid === child.pid)).toMatchObject({
        parent: process.pid,
        group: child.pid,
        session: child.pid,
      });
    }
  });

  it('gives a process the same name at every look', async () => {
    const own = async () => (await readProcessTable()).find(({ pid }) => pid === process.pid)?.start;
    const start = await own();
    expect(start).toBeGreaterThan(0);
    expect(await own()).toBe(start);
  });

  it('measures memory', async () => {
    expect(await residentBytes(process.pid)).toBeGreaterThan(10_000_000);
    expect(await residentBytes(2 ** 22 + 1)).toBe(0);
  });

  it.runIf(way === 'marks')('tells a process from a later one with the same pid', () => {
    expect(hasProc()).toBe(true);
    const start = readRow(process.pid)?.start ?? 0;
    expect(isAlive({ pid: process.pid, start })).toBe(true);
    expect(isAlive({ pid: process.pid, start: start - 1 })).toBe(false);
  });
});
