import { relative } from 'node:path';
import { type BytePath, bytePath, bytesOf } from '../../process/work-tree/byte-path.js';
import type { Shadow } from './shadow.js';

/** No file on a disk has such a long name: what is in a tree by this name was put there by us. */
const longName = `.turnout-${'-'.repeat(255)}`;

/** Makes git look into a repository inside the work tree. */
export const seedName = longName;

export function isSeed(path: BytePath): boolean {
  return path === seedName || path.endsWith(`/${seedName}`);
}

/**
 * The name of a file in our trees. Git takes no `.git` into a tree, however it is spelt (`.GIT/hooks`): such a file has a name of our
 * own there.
 */
export function entryPath(path: BytePath): BytePath {
  return isRefused(path) ? `${longName}/${bytesOf(path).toString('hex')}` : path;
}

export function pathOfEntry(entry: BytePath): BytePath {
  return isOwn(entry) ? Buffer.from(entry.slice(longName.length + 1), 'hex').toString('latin1') : entry;
}

export function isOwn(entry: BytePath): boolean {
  return entry.startsWith(`${longName}/`);
}

/** True for what is left out of an index without a word. */
export function isRefused(path: BytePath): boolean {
  return path.startsWith('../') || /(^|\/)\.git(\/|$)/i.test(path);
}

/**
 * The files of the user's repository that can hide changes, or start programs: git lists none of them. `../.git/config`: that of a
 * repository around the directory.
 */
export async function repositoryFiles(
  root: string,
  { cwd, workTrees }: Shadow,
): Promise<readonly BytePath[]> {
  const way = relative(cwd, root);
  const git = way === '' ? '.git' : `${way}/.git`;
  const hooks = await workTrees.names(bytePath(root), '.git/hooks');
  const names = hooks.filter((name) => !name.endsWith('.sample'));
  return [
    git,
    ...['config', 'config.worktree', 'info/exclude', 'info/attributes'].map((name) => `${git}/${name}`),
    ...names.slice(0, maxHooks).map((name) => `${git}/hooks/${name}`),
  ];
}

const maxHooks = 100;
