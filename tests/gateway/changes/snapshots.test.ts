import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tidyShadows } from '../../../src/gateway/changes/tidy-shadows.js';
import { setUpGateway } from '../stage.js';
import { setUpChanges } from './stage.js';

describe('snapshots of a work tree', () => {
  it('are taken around the turns of the gateway, and kept with them (16.4)', async () => {
    const stage = setUpGateway();
    writeFileSync(join(stage.work, 'mine.txt'), 'mine\n');
    const first = await stage.start();
    await first.ask('a', 'write a note: one');
    await first.stop();
    const client = await stage.start();
    const { changes } = client.gateway;
    await client.ask('a', 'write a note: two');
    expect((await changes.list('a', 'turn')).files).toMatchObject([
      { path: 'demo-note.txt', status: 'modified' },
    ]);
    await client.ask('a', 'hello');
    expect(await changes.list('a', 'turn')).toEqual({ files: [] });
    const { files } = await changes.list('a', 'conversation');
    expect(files).toMatchObject([{ path: 'demo-note.txt', status: 'added', additions: 1 }]);
    await changes.revert('a', { scope: 'conversation', path: 'demo-note.txt', force: false });
    expect(readdirSync(stage.work)).toEqual(['mine.txt']);
    expect(await changes.list('b', 'conversation')).toEqual({ files: [] });
    await client.ask('a', '/new');
    expect(await changes.list('a', 'conversation')).toEqual({ files: [] });
  });

  it('are turned off by WORK_TREE_CHANGES=0 (16.4)', async () => {
    const stage = setUpGateway({ WORK_TREE_CHANGES: '0' });
    const client = await stage.start();
    await client.ask('a', 'write a note: one');
    const { reason, files } = await client.gateway.changes.list('a', 'turn');
    expect(files).toEqual([]);
    expect(reason).toContain('WORK_TREE_CHANGES=0');
    expect(existsSync(join(stage.home, 'snapshots'))).toBe(false);
  });

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

  it('survive a killed git, a broken index and a shadow that is gone (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => stage.write('a.txt', '1\n'));
    const [shadow = ''] = readdirSync(join(stage.home, 'snapshots'));
    const directory = join(stage.home, 'snapshots', shadow);
    writeFileSync(join(directory, 'index.lock'), '');
    writeFileSync(join(directory, 'compared-after.lock'), '');
    await stage.turn(() => stage.write('a.txt', '2\n'));
    writeFileSync(join(directory, 'index'), 'broken');
    await stage.turn(() => stage.write('a.txt', '3\n'));
    const { files } = await stage.changes.list('c', 'conversation');
    expect(files[0]?.diff).toContain('+3\n');
    rmSync(directory, { recursive: true });
    await stage.turn(() => stage.write('a.txt', '4\n'));
    expect(await stage.changes.list('c', 'turn')).toMatchObject({ files: [{ status: 'modified' }] });
    const whole = await stage.changes.list('c', 'conversation');
    expect(whole.reason).toBe('The snapshots of 3 of 4 turns are not there any more.');
    expect(whole.files[0]?.diff).toContain('-3\n+4\n');
    rmSync(directory, { recursive: true });
    expect((await stage.changes.list('c', 'turn')).reason).toMatch(/not there any more/);
    expect(stage.log).toEqual([]);
  });
});

describe('the housekeeping of snapshots', () => {
  const tidy = (stage: ReturnType<typeof setUpChanges>, limits: { maxBytes?: number; maxLoose?: number }) =>
    tidyShadows({
      ...{ home: stage.home, snapshots: stage.snapshots, ...limits },
      store: {
        treesOf: async () =>
          stage.turns.flatMap(({ changes }) => (changes ? [changes.before, changes.after] : [])),
      },
    });

  it('packs objects and keeps those that turns name (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('b.txt', '1\n');
    await stage.turn(() => stage.write('a.txt', '1\n'));
    const [shadow = ''] = readdirSync(join(stage.home, 'snapshots'));
    const objects = join(stage.home, 'snapshots', shadow, 'objects');
    expect(readdirSync(objects).length).toBeGreaterThan(1);
    await tidy(stage, { maxLoose: -1 });
    expect(readdirSync(objects).sort()).toEqual(['info', 'pack']);
    expect((await stage.changes.list('c', 'turn')).files).toMatchObject([{ path: 'a.txt', status: 'added' }]);
    await stage.turn(() => stage.write('b.txt', 'x\n'));
    expect((await stage.changes.list('c', 'conversation')).files).toHaveLength(2);
  });

  it('removes those that were not used for the longest time, and what a kill left (16.4)', async () => {
    const stage = setUpChanges();
    const directory = join(stage.home, 'snapshots');
    await stage.turn(() => stage.write('a.txt', '1\n'));
    for (const name of ['old', 'older', 'half', 'x.new'])
      mkdirSync(join(directory, name, 'objects'), { recursive: true });
    for (const [at, name] of ['older', 'old'].entries()) {
      writeFileSync(join(directory, name, 'work-tree'), `/${name}`);
      writeFileSync(join(directory, name, 'objects', 'x'), Buffer.alloc(1024 ** 2));
      utimesSync(join(directory, name, 'work-tree'), at + 1, at + 1);
    }
    await tidy(stage, { maxBytes: 1.5 * 1024 ** 2 });
    expect(readdirSync(directory)).toHaveLength(2);
    expect(existsSync(join(directory, 'old'))).toBe(true);
    await tidy(stage, { maxBytes: 0 });
    // The one that is in use stays.
    expect((await stage.changes.list('c', 'turn')).files).toHaveLength(1);
    expect(readdirSync(directory)).toHaveLength(1);
  });
});
