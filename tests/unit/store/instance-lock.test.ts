import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from '../../../src/store/instance-lock.js';
import { startProgram } from './start-program.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnout-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the lock of a directory', () => {
  it('is held by one, who is named, and given back', async () => {
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toMatchObject({
      name: 'TurnoutError',
      code: 'bad_request',
      message: `Another gateway (process ${process.pid}) is at work in ${directory}.`,
      hint: expect.stringContaining('TURNOUT_HOME'),
    });
    await lock.release();
    await lock.release();
    expect(await readdir(directory)).toEqual(['gateway.lock']);
    await (await lockDirectory(directory)).release();
  });

  it('is held until it is given back, though nobody keeps what gives it back [fault 13.13: the lock of the home collected as garbage]', async () => {
    await lockDirectory(directory);
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    for (let round = 0; round < 5; round++) {
      collectGarbage();
      await new Promise(setImmediate);
    }
    await expect(lockDirectory(directory)).rejects.toThrow('is at work in');
  });

  it('is private, and one for each name', async () => {
    const home = join(directory, 'home');
    const locks = [await lockDirectory(home), await lockDirectory(home, 'other')];
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(home)) expect((await stat(join(home, file))).mode & 0o777).toBe(0o600);
    for (const lock of locks) await lock.release();
  });

  it('names a directory that can not be used, and what to do', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await mkdir(join(directory, 'odd', 'gateway.lock'), { recursive: true });
    for (const unusable of [file, join(file, 'below'), join(directory, 'odd')]) {
      await expect(lockDirectory(unusable)).rejects.toMatchObject({
        name: 'TurnoutError',
        message: expect.stringContaining(`The data directory ${unusable} can't be used: `),
        hint: expect.stringContaining('TURNOUT_HOME'),
      });
    }
  });

  it('goes to one of many who come at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockDirectory(directory)));
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  it('ends with its process, also by kill -9, and though a child of it lives on', {
    timeout: 60_000,
  }, async () => {
    const first = startProgram('hold-lock.ts', directory);
    const locked = await first.line((line) => line.startsWith('locked'));
    const child = Number(locked?.split(' ')[1]);
    const second = startProgram('hold-lock.ts', directory);
    const answer = await second.line(() => true);
    const here = await lockDirectory(directory).catch((error: Error) => error.message);
    await second.kill();
    await first.kill();
    try {
      expect(answer).toContain(`(process ${first.pid}) is at work in ${directory}`);
      expect(here).toContain(`(process ${first.pid})`);
      expect(() => process.kill(child, 0)).not.toThrow();
      const lock = await lockDirectory(directory);
      expect(await readFile(join(directory, 'gateway.pid'), 'utf8')).toBe(`${process.pid}\n`);
      await lock.release();
    } finally {
      process.kill(child, 'SIGKILL');
    }
  });

  it('does not mind what else is in the directory', async () => {
    await writeFile(join(directory, 'gateway.pid'), 'nonsense');
    await (await lockDirectory(directory)).release();
  });
});
