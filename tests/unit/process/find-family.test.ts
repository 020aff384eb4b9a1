import { describe, expect, it } from 'vitest';
import { closeOver } from '../../../src/process/find-family.js';
import {
  hasProc,
  isAlive,
  type ProcessRow,
  readProcessTable,
  readPsTable,
} from '../../../src/process/process-table.js';
import { readRow } from '../../../src/process/read-proc.js';
import { startFixture } from './start-fixture.js';

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

describe('the process table', () => {
  it('knows our own process and its children', async () => {
    const child = await startFixture('never-read.mjs');
    const rows = await readProcessTable();
    expect(rows.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
    expect(rows.find(({ pid }) => pid === child.pid)).toMatchObject({
      parent: process.pid,
      group: child.pid,
      session: child.pid,
    });
  });

  it.runIf(hasProc)('is the same when ps is asked, as on macOS', async () => {
    const child = await startFixture('never-read.mjs');
    const [proc, ps] = [await readProcessTable(), await readPsTable()];
    const find = (rows: readonly ProcessRow[]) => rows.find(({ pid }) => pid === child.pid);
    expect(find(ps)).toMatchObject({ parent: process.pid, group: child.pid, session: child.pid });
    expect(Math.abs((find(ps)?.start ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(find(proc)).toBeDefined();
  });

  it.runIf(hasProc)('tells a process from a later one with the same pid', () => {
    const start = readRow(process.pid)?.start ?? 0;
    expect(isAlive({ pid: process.pid, start })).toBe(true);
    expect(isAlive({ pid: process.pid, start: start - 1 })).toBe(false);
  });
});
