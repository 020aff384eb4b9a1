import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tidyShadows } from '../../../src/gateway/changes/tidy-shadows.js';
import { patience } from '../../machine-speed.js';
import { setUpGateway } from '../stage.js';
import { setUpChanges } from './stage.js';
import { setUpStuckGit } from './stuck-git.js';

describe('snapshots of a work tree', () => {
  it('are taken around the turns of the gateway, and kept with them (16.4)', async () => {
    const stage = setUpGateway({ WORK_TREE_CHANGES: '1' });
    writeFileSync(join(stage.work, 'mine.txt'), 'mine\n');
    const first = await stage.start({}, undefined, { snapshotWaitMs: patience.timeout });
    await first.ask('a', 'write a note: one');
    await first.stop();
    const client = await stage.start({}, undefined, { snapshotWaitMs: patience.timeout });
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

  it('do not hold an answer up for long; that they are missing is told (16.4)', async () => {
    const git = setUpStuckGit();
    const stage = setUpGateway({ WORK_TREE_CHANGES: '1', PATH: git.path });
    const client = await stage.start();
    await client.ask('a', 'write a note: one');
    stage.onPoint((point) => {
      if (point === 'tool_ended') git.stick(realpathSync(stage.work));
    });
    expect(await client.ask('a', 'write a note: two')).toMatchObject({ state: 'answered' });
    git.stick('');
    const { changes } = client.gateway;
    expect((await changes.list('a', 'turn')).reason).toMatch(/not waited for/);
    expect((await changes.list('a', 'conversation')).reason).toMatch(/1 of 2 turns/);
  });

  it('do not hold the first turn in a large work tree up for long (16.4)', async () => {
    const git = setUpStuckGit();
    const stage = setUpGateway({ WORK_TREE_CHANGES: '1', PATH: git.path });
    const client = await stage.start();
    git.stick(realpathSync(stage.work));
    expect(await client.ask('a', 'write a note: one')).toMatchObject({ state: 'answered' });
    const { changes } = client.gateway;
    expect((await changes.list('a', 'turn')).reason).toMatch(
      /first snapshot of this work tree is still being taken/,
    );
  });

  it('are prepared at the start of the gateway (16.4)', async () => {
    const stage = setUpGateway({ WORK_TREE_CHANGES: '1' });
    await stage.start();
    const directory = join(stage.home, 'snapshots');
    const latest = () =>
      existsSync(directory) &&
      readdirSync(directory).map((name) => existsSync(join(directory, name, 'latest')));
    await expect.poll(latest).toEqual([true]);
  });

  it('survive objects that a power failure has spoilt, and half a shadow (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('a.txt', '0\n');
    await stage.turn(() => stage.write('a.txt', '1\n'));
    const [shadow = ''] = readdirSync(join(stage.home, 'snapshots'));
    const objects = join(stage.home, 'snapshots', shadow, 'objects');
    for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
      if (!/^..\/.{38}$/.test(name)) continue;
      rmSync(join(objects, name));
      writeFileSync(join(objects, name), '');
    }
    expect((await stage.changes.list('c', 'turn')).reason).toMatch(
      /^The snapshots .* can't be read: they are damaged\. New ones begin with the next turn\.$/,
    );
    await stage.turn(() => stage.write('a.txt', '2\n'));
    expect((await stage.changes.list('c', 'turn')).files[0]?.diff).toContain('-1\n+2\n');
    rmSync(join(objects, '..', 'HEAD'));
    await stage.turn(() => stage.write('a.txt', '3\n'));
    expect((await stage.changes.list('c', 'turn')).files[0]?.diff).toContain('-2\n+3\n');
    expect(stage.log).toEqual([]);
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
    const [old = '', older = ''] = ['/old', '/older'].map((cwd) =>
      basename(stage.snapshots.shadow(cwd).directory),
    );
    // The last one is of another AGENT_USER.
    for (const name of [old, older, 'half', 'x.new', 'another'])
      mkdirSync(join(directory, name, 'objects'), { recursive: true });
    for (const [at, [name, cwd]] of [
      [older, '/older'],
      [old, '/old'],
      ['another', stage.work],
    ].entries() as ArrayIterator<[number, [string, string]]>) {
      writeFileSync(join(directory, name, 'HEAD'), '');
      writeFileSync(join(directory, name, 'work-tree'), cwd);
      writeFileSync(join(directory, name, 'objects', 'x'), Buffer.alloc(1024 ** 2));
      utimesSync(join(directory, name, 'work-tree'), at + 1, at + 1);
    }
    await tidy(stage, { maxBytes: 1.5 * 1024 ** 2 });
    expect(readdirSync(directory)).toHaveLength(2);
    expect(existsSync(join(directory, old))).toBe(true);
    await tidy(stage, { maxBytes: 0 });
    // The one that is in use stays.
    expect((await stage.changes.list('c', 'turn')).files).toHaveLength(1);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('removes those that no turn names any more, and what killed gits have left (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => stage.write('a.txt', '1\n'));
    const [name = ''] = readdirSync(join(stage.home, 'snapshots'));
    const directory = join(stage.home, 'snapshots', name);
    for (const left of ['rules-x', 'copy-1', 'copy-1.lock', 'objects/pack/tmp_pack_x']) {
      mkdirSync(join(directory, left, '..'), { recursive: true });
      writeFileSync(join(directory, left), 'x');
      utimesSync(join(directory, left), 1, 1);
    }
    utimesSync(join(directory, 'work-tree'), 1, 1);
    // Another gateway, some time later: nothing runs there.
    const later = setUpChanges({ home: stage.home });
    await tidy({ ...later, home: stage.home, turns: stage.turns }, {});
    expect((await stage.changes.list('c', 'turn')).files).toHaveLength(1);
    expect(readdirSync(directory).filter((file) => /^copy|rules-x/.test(file))).toEqual([]);
    expect(readdirSync(join(directory, 'objects', 'pack'))).toEqual([]);
    await tidy({ ...later, home: stage.home, turns: [] }, {});
    expect(readdirSync(join(stage.home, 'snapshots'))).toEqual([]);
  });

  it('lets the older half go if those in use are too large (16.4)', async () => {
    let now = Date.now();
    const stage = setUpChanges({ now: () => now });
    for (const content of ['1\n', '2\n', '3\n', '4\n', '5\n', '6\n'])
      await stage.turn(() => stage.write('a.txt', content));
    const [name = ''] = readdirSync(join(stage.home, 'snapshots'));
    const objects = join(stage.home, 'snapshots', name, 'objects');
    for (const file of readdirSync(objects, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(objects, file), 1, 1);
    now += 25 * 3_600_000;
    await stage.turn(() => stage.write('a.txt', '7\n'));
    await tidy(stage, { maxBytes: 0 });
    const { files, reason } = await stage.changes.list('c', 'conversation');
    expect(reason).toMatch(/^The snapshots of [34] of 7 turns are not there any more/);
    expect(files[0]?.diff).toMatch(/-[34]\n\+7\n/);
    await stage.turn(() => stage.write('a.txt', '8\n'));
    expect((await stage.changes.list('c', 'turn')).files).toHaveLength(1);
    expect(stage.log).toEqual([]);
  });
});
