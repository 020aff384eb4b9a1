import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findRunning, removeAddress, writeAddress } from '../../../src/gateway/address-file.js';
import { lockDirectory } from '../../../src/store/instance-lock.js';
import { directoryWith } from './temporary-directory.js';

const address = { host: '127.0.0.1', port: 8420, ownToken: true };

it('the address of a running gateway is found, private, and counts only under its lock (16.6)', async () => {
  const home = await directoryWith();
  expect(await findRunning(home)).toBeUndefined();
  expect(await readdir(home)).toEqual([]);
  const lock = await lockDirectory(home);
  expect(await findRunning(home)).toBe('starting');
  await writeAddress(home, address);
  expect(await findRunning(home)).toEqual(address);
  expect((await stat(join(home, 'gateway.address'))).mode & 0o777).toBe(0o600);
  // A gateway that was killed leaves the file, and not the lock.
  await lock.release();
  expect(await findRunning(home)).toBeUndefined();
  await removeAddress(home);
  await removeAddress(home);
  expect(await readdir(home)).toEqual(['gateway.lock']);
});

it('a file that says something else is no address (16.6)', async () => {
  const home = await directoryWith();
  const lock = await lockDirectory(home);
  for (const text of ['{', 'null', '{"host":1,"port":"x"}']) {
    await writeFile(join(home, 'gateway.address'), text);
    expect(await findRunning(home)).toBe('starting');
  }
  await lock.release();
});

it('a home that is not there has no gateway, and is not made; one that can not be written does not stop it (16.6)', async () => {
  const home = join(await directoryWith({ file: '' }), 'nowhere');
  expect(await findRunning(home)).toBeUndefined();
  await writeAddress(home, address);
  await expect(stat(home)).rejects.toThrow('ENOENT');
});
