import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TreeChanges } from '../../../src/gateway/changes/work-tree-changes.js';
import { NotAsShown } from '../../../src/gateway/channels/changed-since.js';
import type { StoredTurn } from '../../../src/store/rows.js';
import { revert, setUpChanges } from './stage.js';
import { setUpStuckGit } from './stuck-git.js';

const inDirectory = (channel: string, cwd: string): Pick<StoredTurn, 'channel' | 'setup'> => ({
  channel,
  setup: { cwd } as Partial<StoredTurn['setup']> as NonNullable<StoredTurn['setup']>,
});

// What takes longer is in changes.program.ts.
describe('the changes in a work tree', () => {
  it('are those of the turn, file by file, with a diff; a turn without snapshots is told (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('kept.txt', 'kept\n');
    stage.write('changed.txt', 'one\ntwo\nthree\n');
    stage.write('gone.txt', 'gone\n');
    await stage.turn(() => {
      stage.write('changed.txt', 'one\n2\nthree\n');
      stage.write('deep/er/new.txt', 'new\nlines\n');
      unlinkSync(join(stage.work, 'gone.txt'));
    });
    const { files, reason } = await stage.changes.list('c', 'turn');
    expect(reason).toBeUndefined();
    expect(files).toEqual([
      expect.objectContaining({ path: 'changed.txt', status: 'modified', additions: 1, deletions: 1 }),
      expect.objectContaining({ path: 'deep/er/new.txt', status: 'added', additions: 2, deletions: 0 }),
      expect.objectContaining({ path: 'gone.txt', status: 'deleted', additions: 0, deletions: 1 }),
    ]);
    expect(files[0]?.diff).toContain('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
    expect(files.every(({ binary, changedSince }) => !binary && !changedSince)).toBe(true);
    // The snapshot after another turn came too late.
    stage.turns.push({ turnId: 'late', cwd: stage.work, usedTools: true });
    expect((await stage.changes.list('c', 'turn')).reason).toMatch(
      /takes over 2 seconds, .* is not waited for/,
    );
    const whole = await stage.changes.list('c', 'conversation');
    expect(whole.files).toHaveLength(3);
    expect(whole.reason).toMatch(/^The changes of 1 of 2 turns are not known/);
  });

  it('are not put back while a turn runs there, in whatever channel, nor if there is no such change (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => stage.write('a.txt', '1\n'));
    for (const path of [`../${basename(stage.work)}/a.txt`, ''])
      await expect(revert(stage, path)).rejects.toMatchObject({ code: 'bad_request' });
    mkdirSync(join(stage.work, 'inside'));
    symlinkSync(stage.work, join(stage.home, 'link'));
    for (const turn of [
      { channel: 'c' },
      inDirectory('c', '/elsewhere'),
      inDirectory('d', stage.work),
      inDirectory('d', join(stage.work, 'inside')),
      inDirectory('d', dirname(stage.work)),
      inDirectory('d', join(stage.home, 'link')),
    ]) {
      stage.running.splice(0, 1, turn);
      const why = { code: 'bad_request', hint: /Stop it first/ };
      await expect(revert(stage, 'a.txt', 'turn', true), turn.setup?.cwd).rejects.toMatchObject(why);
    }
    expect(existsSync(join(stage.work, 'a.txt'))).toBe(true);
    stage.running.splice(
      0,
      1,
      { channel: 'd' },
      inDirectory('e', stage.home),
      inDirectory('f', `${stage.work}2`),
    );
    await revert(stage, 'a.txt');
    expect(existsSync(join(stage.work, 'a.txt'))).toBe(false);
  });

  it('are put back only as they were shown, whatever came after that: a turn or a person (16.4)', async () => {
    const stage = setUpChanges();
    const read = () => readFileSync(join(stage.work, 'a.txt'), 'utf8');
    const look = async () => (await stage.changes.list('c', 'turn')).files[0]?.shown ?? '';
    const putBack = (shown: string) =>
      stage.changes.revert('c', { scope: 'turn', path: 'a.txt', force: true, shown });
    stage.write('a.txt', '0\n');
    await stage.turn(() => stage.write('a.txt', '1\n'));
    const first = await look();
    expect(await look()).toBe(first);
    await stage.turn(() => stage.write('a.txt', '2\n'));
    await expect(putBack(first)).rejects.toThrow(NotAsShown);
    const second = await look();
    stage.write('a.txt', 'by a person\n');
    await expect(putBack(second)).rejects.toThrow(NotAsShown);
    expect(read()).toBe('by a person\n');
    // What no snapshot holds counts as well.
    truncateSync(join(stage.work, 'a.txt'), 50_000_000);
    const large = await look();
    truncateSync(join(stage.work, 'a.txt'), 50_000_001);
    await expect(putBack(large)).rejects.toThrow(NotAsShown);
    await putBack(await look());
    expect(read()).toBe('1\n');
    await stage.turn(() => stage.write('b.txt', '1\n'));
    await expect(putBack(second)).rejects.toThrow(NotAsShown);
  });

  it('of one directory do not wait for those of another, and are let go with whoever asked (16.4)', async () => {
    const git = setUpStuckGit();
    const [stage, other] = [setUpChanges({ path: git.path }), setUpChanges({ path: git.path })];
    for (const { turn, write } of [stage, other]) await turn(() => write('a.txt', '1\n'));
    const turns = [...stage.turns, ...other.turns];
    const changes = new TreeChanges({
      snapshots: stage.snapshots,
      store: {
        changingTurns: async (channel, limit) => turns.filter((turn) => turn.cwd === channel).slice(-limit),
        running: async () => [],
      },
    });
    git.stick(stage.work);
    const gone = new AbortController();
    const request = { scope: 'turn', path: 'a.txt', force: false } as const;
    const waiting = [
      changes.list(stage.work, 'turn', gone.signal),
      changes.list(stage.work, 'turn', gone.signal),
      changes.revert(stage.work, request, gone.signal),
    ];
    const ends = Promise.allSettled(waiting);
    expect((await changes.list(other.work, 'turn')).reason).toMatch(/not there any more/);
    git.stick('');
    gone.abort();
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'interrupted' } });
    expect(existsSync(join(stage.work, 'a.txt'))).toBe(true);
    expect((await changes.list(stage.work, 'turn')).files).toHaveLength(1);
  });
});
