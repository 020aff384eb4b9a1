import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isHomeHeld, lockHome } from '../../../src/gateway/home-lock.js';
import type { DirectoryLock } from '../../../src/store/instance-lock.js';
import { logLines } from './log-lines.js';
import { directoryWith } from './temporary-directory.js';

async function setUp(files: Record<string, string> = {}) {
  const root = await directoryWith(files);
  const home = join(root, 'home');
  const env = { HOME: root };
  const { log, lines } = logLines();
  const lock = async (of = home, around: Record<string, string> = env): Promise<DirectoryLock> => {
    const held = await lockHome(of, around, log);
    onTestFinished(() => held.release());
    return held;
  };
  return { root, home, env, lines, lock };
}

const refusal = (home: string) => ({
  name: 'TurnoutError',
  message: `Another gateway (process ${process.pid}) is at work in ${home}.`,
});

it('refuses a second gateway when the lock file, or all of the home, is removed or replaced (27.13) [fault 27.13: the lock file removed, then a second gateway]', async () => {
  const { home, env, lock } = await setUp();
  const first = await lock();
  expect(first.check()).toBeUndefined();
  const harms = [
    () => rmSync(join(home, 'gateway.lock')),
    () => readdirSync(home).map((name) => rmSync(join(home, name))),
    () => rmSync(home, { recursive: true }),
  ];
  for (const harm of harms) {
    harm();
    await expect(lock()).rejects.toMatchObject(refusal(home));
    expect(await isHomeHeld(home, env)).toBe(true);
    expect(first.check()).toEqual({ file: 'gateway.lock', fate: 'removed' });
    mkdirSync(home, { recursive: true });
  }
  await first.release();
  expect(await isHomeHeld(home, env)).toBe(false);
  const next = await lock();
  expect(next.check()).toBeUndefined();
  renameSync(join(home, 'gateway.lock'), join(home, 'moved'));
  cpSync(join(home, 'moved'), join(home, 'gateway.lock'));
  expect(next.check()).toEqual({ file: 'gateway.lock', fate: 'replaced' });
});

it('knows a home under the path of a symlink, and lets other homes and copies be', async () => {
  const { root, home, lock } = await setUp({ 'homes/one': '' });
  await lock();
  symlinkSync(home, join(root, 'link'));
  rmSync(join(home, 'gateway.lock'));
  await expect(lock(join(root, 'link'))).rejects.toMatchObject(refusal(join(root, 'link')));
  cpSync(home, join(root, 'copy'), { recursive: true });
  for (const other of ['copy', 'another']) expect((await lock(join(root, other))).check()).toBeUndefined();
});

it('does with the lock in the home where HOME can not be written, and says so', async () => {
  const { root, home, lines, lock } = await setUp({ file: '' });
  const around = { HOME: join(root, 'file') };
  await lock(home, around);
  await expect(lock(home, around)).rejects.toMatchObject(refusal(home));
  expect(lines[0]).toMatchObject({
    level: 'warn',
    message: expect.stringContaining('only the lock in the home'),
  });
});

it('leaves both locks free when one of them is held by another', async () => {
  const { root, home, lock } = await setUp();
  const first = await lock();
  await expect(lock(home, { HOME: join(root, 'elsewhere') })).rejects.toMatchObject(refusal(home));
  await first.release();
  await lock(home, { HOME: join(root, 'elsewhere') });
});
