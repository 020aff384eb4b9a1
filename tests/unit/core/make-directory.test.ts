import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../../src/core/make-directory.js';

function setUp(): string {
  const root = mkdtempSync(join(tmpdir(), 'turnout-make-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('a directory is made for this user alone, with those around it; one that is there stays', () => {
  const path = join(setUp(), 'a', 'b');
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('a link to a directory is one, and a file in the way is told', () => {
  const root = setUp();
  mkdirSync(join(root, 'real'));
  symlinkSync(join(root, 'real'), join(root, 'link'));
  makeDirectory(join(root, 'link', 'in'));
  expect(existsSync(join(root, 'real', 'in'))).toBe(true);
  writeFileSync(join(root, 'file'), '');
  expect(() => makeDirectory(join(root, 'file', 'in'))).toThrow(/EEXIST|ENOTDIR/);
});

// Node's own way does not come back from there.
it.runIf(process.platform === 'linux')('a place where nothing can be made is told at once (16.9)', () => {
  expect(() => makeDirectory('/proc/turnout/demo/work')).toThrow(/mkdir '\/proc\/turnout'/);
});
