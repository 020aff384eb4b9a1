import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { readableContents } from '../../../src/gateway/changes/agent-rights.js';
import { blobName } from '../../../src/gateway/changes/read-file.js';
import { findUser } from '../../../src/process/process-user.js';
import { listed, revert, setUpChanges } from './stage.js';

function setUp(test: TestContext) {
  const found = findUser('nobody');
  if (process.geteuid?.() !== 0 || !('user' in found) || found.user === undefined)
    return test.skip('only root can run programs as another user, and there must be one');
  const { user } = found;
  const stage = setUpChanges({}, user);
  chmodSync(dirname(stage.work), 0o755);
  chownSync(stage.work, user.uid, user.gid);
  return { stage, user };
}

describe('an agent’s user', () => {
  it('gets nothing by a revert that it could not read (16.4)', async (test) => {
    const { stage, user } = setUp(test);
    stage.write('.env', 'PASSWORD=1\n', 0o600);
    stage.write('open.txt', 'open\n', 0o644);
    stage.write('empty', '', 0o600);
    stage.write('closed/in.txt', 'in\n', 0o644);
    chmodSync(join(stage.work, 'closed'), 0o700);
    const paths = ['.env', 'open.txt', 'empty', 'closed/in.txt'];
    // What was added by its times is looked at, too, and what a killed gateway has left.
    await stage.turn(() => undefined);
    const shadow = stage.snapshots.shadow(stage.work).directory;
    writeFileSync(join(shadow, 'index.unproven'), paths.map((path) => `${path}\0`).join(''));
    rmSync(join(shadow, 'closed'));
    await stage.turn(() => {
      for (const path of paths) unlinkSync(join(stage.work, path));
    });
    expect(await listed(stage)).toEqual([
      'deleted .env',
      'deleted closed/in.txt',
      'deleted empty',
      'deleted open.txt',
    ]);
    for (const path of ['.env', 'closed/in.txt']) {
      await expect(revert(stage, path, 'turn', true)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('could not read it before'),
      });
      expect(existsSync(join(stage.work, path))).toBe(false);
    }
    for (const path of ['empty', 'open.txt']) await revert(stage, path);
    expect(readFileSync(join(stage.work, 'open.txt'), 'utf8')).toBe('open\n');
    expect(user.uid).not.toBe(0);
  });

  it('can read what its rights say, and nothing through a link (16.4)', async (test) => {
    const { stage, user } = setUp(test);
    const outside = join(dirname(stage.work), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a'), 'outside\n');
    for (const [path, mode] of [
      ['all', 0o644],
      ['group', 0o640],
      ['othergroup', 0o640],
      ['own', 0o000],
      ['roots', 0o600],
      ['notgroup', 0o604],
    ] as const)
      stage.write(path, 'x\n', mode);
    for (const path of ['group', 'notgroup']) chownSync(join(stage.work, path), 0, user.gid);
    chownSync(join(stage.work, 'own'), user.uid, 0);
    symlinkSync(outside, join(stage.work, 'dir'));
    symlinkSync('target', join(stage.work, 'link'));
    const paths = ['all', 'group', 'othergroup', 'own', 'roots', 'notgroup', 'dir/a', 'link', 'gone'];
    const found = await readableContents(stage.work, paths, user);
    expect([...found.keys()].sort()).toEqual(['all', 'group', 'link', 'own']);
    expect(found.get('all')).toBe(blobName(Buffer.from('x\n')));
    expect(found.get('link')).toBe(blobName(Buffer.from('target')));
    renameSync(stage.work, `${stage.work}2`);
    symlinkSync(`${stage.work}2`, stage.work);
    expect((await readableContents(stage.work, ['all'], user)).size).toBe(0);
  });
});
