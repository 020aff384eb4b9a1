import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findExecutable } from '../../../src/process/find-executable.js';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'turnout-find-'));
  for (const folder of ['folder/tool', 'plain', 'good', 'other'])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of ['plain/tool', 'good/tool', 'other/tool'])
    await writeFile(join(root, file), '#!/bin/sh\n');
  await chmod(join(root, 'good/tool'), 0o755);
  await chmod(join(root, 'other/tool'), 0o755);
});

afterAll(() => rm(root, { recursive: true }));

describe('findExecutable', () => {
  const onPath = (...folders: string[]) => ({ PATH: folders.map((folder) => join(root, folder)).join(':') });

  it('takes the first that can be run and passes over directories and plain files', async () => {
    expect(await findExecutable('tool', onPath('nowhere', 'folder', 'plain', 'good', 'other'))).toEqual({
      path: join(root, 'good/tool'),
    });
  });

  it('names the best problem when none can be run', async () => {
    expect(await findExecutable('tool', onPath('folder', 'plain'))).toEqual({
      problem: 'not_executable',
      path: join(root, 'plain/tool'),
    });
    expect(await findExecutable('tool', onPath('nowhere', 'folder'))).toEqual({
      problem: 'is_directory',
      path: join(root, 'folder/tool'),
    });
    expect(await findExecutable('tool', onPath('nowhere'))).toEqual({ problem: 'missing', path: 'tool' });
    expect(await findExecutable('', onPath('good'))).toEqual({ problem: 'missing', path: '' });
  });

  it('takes a name with a slash as a path and does not look at PATH', async () => {
    expect(await findExecutable(join(root, 'good/tool'), {})).toEqual({ path: join(root, 'good/tool') });
    expect(await findExecutable('./tool', onPath('good'), join(root, 'plain'))).toEqual({
      problem: 'not_executable',
      path: join(root, 'plain/tool'),
    });
    expect(await findExecutable('good/tool', {}, root)).toEqual({ path: join(root, 'good/tool') });
    expect(await findExecutable(join(root, 'folder/tool'), {})).toEqual({
      problem: 'is_directory',
      path: join(root, 'folder/tool'),
    });
  });

  // The superuser may enter every folder.
  it.skipIf(process.getuid?.() === 0)(
    'tells nothing of a folder of PATH that can’t be entered (16.9)',
    async () => {
      await mkdir(join(root, 'closed'), { mode: 0o000 });
      expect(await findExecutable('tool', onPath('closed'))).toEqual({ problem: 'missing', path: 'tool' });
      const path = join(root, 'closed/tool');
      expect(await findExecutable(path, {})).toEqual({ problem: 'not_executable', path });
    },
  );

  it('passes over relative and empty parts of PATH', async () => {
    const missing = { problem: 'missing', path: 'tool' };
    expect(await findExecutable('tool', { PATH: 'good:.' }, root)).toEqual(missing);
    expect(await findExecutable('tool', { PATH: '' }, join(root, 'good'))).toEqual(missing);
  });

  it('looks where the C library looks when there is no PATH', async () => {
    expect(await findExecutable('sh', {})).toHaveProperty('path', expect.stringMatching(/bin\/sh$/));
  });
});
