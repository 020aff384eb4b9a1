import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PutBack, putBack as put } from '../../../src/gateway/changes/put-back.js';
import type { ProcessUser } from '../../../src/process/process-user.js';
import { agentUser, filesOf } from '../../unit/process/agent-user.js';

const to = { mode: '100644', content: Buffer.from('before\n') };

function setUp(user?: ProcessUser) {
  const workTrees = filesOf('/nonexistent', user);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-put-back-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [cwd, outside] = [join(root, 'work'), join(root, 'outside')];
  for (const directory of [cwd, outside]) mkdirSync(directory);
  return { cwd, outside, putBack: (given: Omit<PutBack, 'workTrees'>) => put({ ...given, workTrees }) };
}

describe('a file that is put back', () => {
  it('gets its folders, whatever their names are (16.4)', async () => {
    const { cwd, putBack } = setUp();
    const path = '-p/a b/new\nline\n/a.txt';
    await putBack({ cwd, path, to });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe('before\n');
    await putBack({ cwd, path });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each(['dir', 'dir/deep'])('makes no folder behind a link: %s (16.4)', async (way) => {
    const { cwd, outside, putBack } = setUp();
    mkdirSync(join(cwd, way, '..'), { recursive: true });
    symlinkSync(outside, join(cwd, way));
    const refused = putBack({ cwd, path: `${way}/er/a.txt`, to });
    await expect(refused).rejects.toThrow(/a link is in its way/);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('makes nothing where a link leads nowhere (16.4)', async () => {
    const { cwd, outside, putBack } = setUp();
    symlinkSync(join(outside, 'missing'), join(cwd, 'dir'));
    await expect(putBack({ cwd, path: 'dir/a.txt', to })).rejects.toThrow(/a link is in its way/);
    expect(existsSync(join(outside, 'missing'))).toBe(false);
  });

  it('stays its owner’s; one that was gone gets the owner of its folder (16.4)', async (test) => {
    if (process.geteuid?.() !== 0) return test.skip('only root can have files of others');
    const { cwd, outside, putBack } = setUp();
    const owned = (path: string) => {
      const { uid, gid, mode } = lstatSync(join(cwd, path));
      return [uid, gid, (mode & 0o777).toString(8)];
    };
    chownSync(cwd, 1201, 1301);
    writeFileSync(join(cwd, 'theirs.txt'), 'after\n');
    chownSync(join(cwd, 'theirs.txt'), 1202, 1302);
    chmodSync(join(cwd, 'theirs.txt'), 0o640);
    writeFileSync(join(outside, 'theirs.txt'), 'outside\n');
    symlinkSync(join(outside, 'theirs.txt'), join(cwd, 'link.txt'));
    for (const path of ['theirs.txt', 'gone.txt', 'a/b/gone.txt', 'link.txt'])
      await putBack({ cwd, path, to });
    await putBack({
      cwd,
      path: 'link',
      to: { mode: '120000', content: Buffer.from(join(outside, 'theirs.txt')) },
    });
    expect(owned('theirs.txt')).toEqual([1202, 1302, '640']);
    for (const path of ['gone.txt', 'a/b/gone.txt', 'link.txt'])
      expect(owned(path)).toEqual([1201, 1301, '600']);
    for (const path of ['a', 'a/b', 'link']) expect(owned(path).slice(0, 2)).toEqual([1201, 1301]);
    expect(statSync(join(outside, 'theirs.txt'))).toMatchObject({ uid: 0, size: 8 });
  });

  it('stays its owner’s if the agent’s user may write it, and is refused otherwise (16.4)', async (test) => {
    const user = agentUser(test);
    const { cwd, putBack } = setUp(user);
    chmodSync(dirname(cwd), 0o755);
    chownSync(cwd, user.uid, user.gid);
    for (const [path, mode] of [
      ['open.txt', 0o666],
      ['closed.txt', 0o644],
    ] as const) {
      writeFileSync(join(cwd, path), 'after\n');
      chmodSync(join(cwd, path), mode);
    }
    await putBack({ cwd, path: 'open.txt', to });
    expect(statSync(join(cwd, 'open.txt'))).toMatchObject({ uid: 0, gid: 0 });
    expect(readFileSync(join(cwd, 'open.txt'), 'utf8')).toBe('before\n');
    await expect(putBack({ cwd, path: 'closed.txt', to })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(readFileSync(join(cwd, 'closed.txt'), 'utf8')).toBe('after\n');
    await putBack({ cwd, path: 'gone.txt', to });
    expect(statSync(join(cwd, 'gone.txt'))).toMatchObject({ uid: user.uid, gid: user.gid });
    expect(readdirSync(cwd).sort()).toEqual(['closed.txt', 'gone.txt', 'open.txt']);
  });
});
