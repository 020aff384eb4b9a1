import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { putBack } from '../../../src/gateway/changes/put-back.js';

const to = { mode: '100644', content: Buffer.from('before\n') };

function setUp() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-put-back-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [cwd, outside] = [join(root, 'work'), join(root, 'outside')];
  for (const directory of [cwd, outside]) mkdirSync(directory);
  return { cwd, outside };
}

describe('a file that is put back', () => {
  it('gets its folders, whatever their names are (16.4)', async () => {
    const { cwd } = setUp();
    const path = '-p/a b/new\nline\n/a.txt';
    await putBack({ cwd, path, to });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe('before\n');
    await putBack({ cwd, path });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each(['dir', 'dir/deep'])('makes no folder behind a link: %s (16.4)', async (way) => {
    const { cwd, outside } = setUp();
    mkdirSync(join(cwd, way, '..'), { recursive: true });
    symlinkSync(outside, join(cwd, way));
    const refused = putBack({ cwd, path: `${way}/er/a.txt`, to });
    await expect(refused).rejects.toThrow(/a link is in its way/);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('makes nothing where a link leads nowhere (16.4)', async () => {
    const { cwd, outside } = setUp();
    symlinkSync(join(outside, 'missing'), join(cwd, 'dir'));
    await expect(putBack({ cwd, path: 'dir/a.txt', to })).rejects.toThrow(/a link is in its way/);
    expect(existsSync(join(outside, 'missing'))).toBe(false);
  });
});
