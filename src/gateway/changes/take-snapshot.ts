import { constants, lstatSync } from 'node:fs';
import { access, lstat, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { maxFileBytes, maxNewBytes, maxNewFiles, minFreeBytes } from './limits.js';
import type { Shadow } from './shadow.js';

/**
 * Takes a snapshot of a work tree and returns the name of its tree. `unchanged` is the tree to return if nothing has changed since
 * the last one. Only one may be at work in a shadow.
 *
 * It does not use `git add -A`: that asks git in every repository inside the work tree how it is, and such a git obeys the settings
 * that it finds there. Listing and adding named files starts nothing.
 */
export async function takeSnapshot(
  shadow: Shadow,
  unchanged: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  shadow.look();
  // A git that was killed has left its lock; no other one is at work here.
  await rm(`${shadow.index}.lock`, { force: true });
  const listed = await listChanged(shadow, signal);
  const paths = await choose(shadow, listed);
  const asPack = paths.length > manyFiles && (await packsNewFiles(shadow, signal)) ? intoPack : [];
  for (let from = 0; from < paths.length; from += portion) {
    // A snapshot that is given up has not been in vain: the next one goes on behind the portions that are done.
    const stdin = nulTerminated(paths.slice(from, from + portion));
    await shadow.git([...asPack, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
      stdin,
      signal,
    });
  }
  if (paths.length === 0 && unchanged !== undefined) return unchanged;
  const tree = await writeTree(shadow, signal);
  // No turn may name it yet when old objects are removed.
  await writeFile(join(shadow.directory, 'latest'), tree);
  return tree;
}

const portion = 4000;

/**
 * Many new files go into one pack, which takes a third of the time of a file for each and a tenth of the room. That is what git does
 * with large files, and it is told that all of them are. An older git would make a pack of each file.
 */
const manyFiles = 200;
const intoPack = ['-c', 'core.bigFileThreshold=1'];

async function packsNewFiles(shadow: Shadow, signal: AbortSignal): Promise<boolean> {
  const version = (await shadow.git(['version'], { signal })).toString();
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
}

/** The name of a file is held as bytes, one character each: names are not always UTF-8. */
export type BytePath = string;

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

export function absolute(cwd: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${cwd}/`), bytesOf(path)]);
}

/** Lists what is new, changed or gone, relative to the work tree. */
async function listChanged(shadow: Shadow, signal: AbortSignal): Promise<readonly BytePath[]> {
  const exclude = ownExcludes(shadow.root);
  const args = ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard', ...exclude];
  for (let round = 0; ; round += 1) {
    const output = await shadow.git(args, { signal });
    const names = output.toString('latin1').split('\0').slice(0, -1);
    const paths = new Set(names.filter((name) => !isSeed(name)));
    const nested = [...paths].filter((name) => name.endsWith('/'));
    for (const name of nested) paths.delete(name);
    if (nested.length === 0 || round === maxDepth) return [...paths];
    await openNested(shadow, nested.slice(0, maxNested), signal);
  }
}

const maxDepth = 4;
const maxNested = 500;

/**
 * Git does not look into repositories inside the work tree, unless its index has a file of theirs: it gets one that does not
 * exist. A directory of projects is a usual place for agents.
 */
async function openNested(
  shadow: Shadow,
  directories: readonly BytePath[],
  signal: AbortSignal,
): Promise<void> {
  const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
  await shadow.git(['hash-object', '-w', '--stdin'], { signal });
  const prefix = Buffer.from(shadow.prefix).toString('latin1');
  const entries = directories.map((name) => `100644 ${empty}\t${prefix}${name}${seedName}`);
  await shadow.git(['update-index', '-z', '--index-info'], { stdin: nulTerminated(entries), signal });
}

const seedName = '.turnout-looks-inside';

export function isSeed(path: BytePath): boolean {
  return path === seedName || path.endsWith(`/${seedName}`);
}

/** The user's own excludes, if they are where they are in a plain repository. */
function ownExcludes(root: string): readonly string[] {
  const is = (path: string) => lstatSync(path, { throwIfNoEntry: false });
  const file = join(root, '.git', 'info', 'exclude');
  if (!is(join(root, '.git'))?.isDirectory() || !is(join(root, '.git', 'info'))?.isDirectory()) return [];
  const facts = is(file);
  return facts?.isFile() && facts.size < 1024 ** 2 ? [`--exclude-from=${file}`] : [];
}

/**
 * Leaves out what can't be kept: large files, unreadable ones, and what is no file. If such a one was kept before, its former
 * content stays in the tree: it counts as unchanged.
 */
async function choose(shadow: Shadow, paths: readonly BytePath[]): Promise<readonly BytePath[]> {
  if (paths.length > maxNewFiles)
    throw new TurnoutError('unsupported', `more than ${maxNewFiles} files in it are new`);
  const chosen: BytePath[] = [];
  let bytes = 0;
  for (let from = 0; from < paths.length; from += atOnce) {
    const some = paths.slice(from, from + atOnce);
    const sizes = await Promise.all(some.map((path) => sizeToKeep(absolute(shadow.cwd, path))));
    for (const [at, path] of some.entries()) {
      const size = sizes[at];
      if (size === undefined) continue;
      chosen.push(path);
      bytes += size;
    }
    if (bytes > maxNewBytes)
      throw new TurnoutError('unsupported', `more than ${maxNewBytes / 1024 ** 2} MiB in it are new`);
  }
  if (bytes > 0) await checkRoom(shadow.directory, bytes);
  return chosen;
}

const atOnce = 64;

/** Undefined: it is not kept. A file that is gone, or is a directory by now, has no size. */
async function sizeToKeep(path: Buffer): Promise<number | undefined> {
  try {
    const facts = await lstat(path);
    if (facts.isSymbolicLink() || facts.isDirectory()) return 0;
    if (!facts.isFile() || facts.size > maxFileBytes) return undefined;
    await access(path, constants.R_OK);
    return facts.size;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? 0 : undefined;
  }
}

/** The disk's last room is for what the gateway must not lose. */
async function checkRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < bytes + minFreeBytes)
    throw new TurnoutError('unsupported', 'the disk of TURNOUT_HOME has too little room for them');
}

async function writeTree(shadow: Shadow, signal: AbortSignal): Promise<string> {
  const { prefix } = shadow;
  const args = prefix === '' ? ['write-tree'] : ['write-tree', `--prefix=${prefix}`];
  try {
    return (await shadow.git(args, { signal })).toString().trim();
  } catch (error) {
    // There is no tree for a prefix without files.
    if (error instanceof TurnoutError && /prefix .* not found/s.test(error.message)) return emptyTree;
    throw error;
  }
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export function nulTerminated(entries: readonly string[]): Buffer {
  return Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
}
