import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUpChanges } from './stage.js';
import { setUpStuckGit } from './stuck-git.js';

// What takes longer is in snapshots.program.ts.
describe('snapshots of a work tree', () => {
  it('are shared by turns that begin at once, and by none that ends later (16.4)', async () => {
    const stage = setUpChanges();
    const many = Array.from({ length: 50 }, () => stage.snapshots.begin(stage.work));
    const trees = await Promise.all(many.map(({ before }) => before));
    expect(new Set(trees).size).toBe(1);
    const first = many[0]?.end();
    stage.write('a.txt', '1\n');
    const ends = await Promise.all([first, ...many.map((turn) => turn.end())]);
    expect(ends.at(-1)?.after).not.toBe(trees[0]);
    expect(new Set(ends.slice(1).map((end) => end?.after)).size).toBe(1);
  });

  it('are taken one at a time, also when a turn ends during its first one while another waits (16.4)', async () => {
    const git = setUpStuckGit();
    const stage = setUpChanges({ path: git.path });
    const stopped = stage.snapshots.begin(stage.work);
    const end = stopped.end();
    const other = stage.snapshots.begin(stage.work);
    expect(await end).toBeDefined();
    expect(await other.end()).toBeDefined();
    expect(git.hasOverlapped).toBe(false);
  });

  it('are not taken of a home, of the root, nor around the gateway’s own files (16.4)', async () => {
    const stage = setUpChanges();
    const around = setUpChanges({ homes: [stage.work] });
    for (const [snapshots, cwd] of [
      [stage.snapshots, '/'],
      [stage.snapshots, homedir()],
      [stage.snapshots, dirname(stage.home)],
      [stage.snapshots, stage.home],
      [around.snapshots, stage.work],
    ] as const) {
      expect(await snapshots.begin(cwd).before, cwd).toBeUndefined();
      expect(snapshots.reasonAgainst(cwd), cwd).toMatch(/no snapshots are taken/);
    }
    expect(await stage.snapshots.begin(join(stage.work, 'missing')).before).toBeUndefined();
  });

  it('fail without harm: the trouble is told, logged once, and left alone for a while (16.4)', async () => {
    let now = 1_000_000;
    const stage = setUpChanges({ path: '/nowhere', now: () => now });
    const turn = () => stage.turn(() => stage.write('a.txt', String(now)));
    await turn();
    expect(await stage.changes.list('c', 'turn')).toEqual({
      reason: 'git is not installed, and snapshots of the work tree need it.',
      files: [],
    });
    await turn();
    now += 11 * 60_000;
    await turn();
    expect(stage.log).toHaveLength(1);
  });

  it('that are not there in time do not hold the end of a turn up (16.4)', async () => {
    const git = setUpStuckGit();
    const stage = setUpChanges({ path: git.path, waitMs: 20 });
    const began = stage.snapshots.begin(stage.work);
    expect(await began.before).toBeDefined();
    git.stick(stage.work);
    expect(await began.end()).toBeUndefined();
    // The next turn's own one is not there either.
    expect(await stage.snapshots.begin(stage.work).end()).toBeUndefined();
    expect(stage.log).toMatchObject([{ level: 'warn', directory: stage.work }]);
  });

  it('that a tool did not wait for are none of its turn, and what is missing is told (16.4)', async () => {
    const git = setUpStuckGit();
    const stage = setUpChanges({ path: git.path, waitMs: 20 });
    git.stick(stage.work);
    const began = stage.snapshots.begin(stage.work);
    await began.wait();
    await began.wait();
    began.toolBegins();
    expect(await began.end()).toBeUndefined();
    stage.turns.push({ turnId: 'first', cwd: stage.work, usedTools: true });
    expect((await stage.changes.list('c', 'turn')).reason).toMatch(
      /^The first snapshot of this work tree is still/,
    );
  });

  it('are tried again at once when there is room, or when the clock is set back (16.4)', async () => {
    const git = setUpStuckGit();
    let now = 1e12;
    const stage = setUpChanges({ path: git.path, now: () => now });
    const turn = () => stage.turn(() => stage.write('a.txt', `${Math.random()}\n`));
    await turn();
    git.fillDisk(true);
    await turn();
    await turn();
    expect((await stage.changes.list('c', 'turn')).reason).toMatch(/too little room/);
    expect(stage.log).toHaveLength(1);
    git.fillDisk(false);
    await turn();
    expect((await stage.changes.list('c', 'turn')).files).toMatchObject([{ status: 'modified' }]);
    const missing = setUpChanges({ path: '/nowhere', now: () => now });
    const begin = () => missing.snapshots.begin(missing.work).isTaken;
    await missing.snapshots.begin(missing.work).before;
    expect(begin()).toBe(true);
    now -= 86_400_000;
    expect(begin()).toBe(false);
  });
});
