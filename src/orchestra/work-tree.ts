import { createHash } from 'node:crypto';
import { constants, existsSync, lstatSync, realpathSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { childEnvironment } from '../backends/launch/child-environment.js';
import { TurnoutError } from '../core/errors.js';
import { makeDirectory } from '../core/make-directory.js';
import { runGit } from '../process/run-git.js';
import { type DirectoryLock, HeldError, lockDirectory } from '../store/instance-lock.js';

/** The directory that a chain works in: the root of its git work tree, or itself. */
export interface WorkTree {
  readonly root: string;
  readonly isGit: boolean;
}

export async function findWorkTree(cwd: string): Promise<WorkTree> {
  const root = await git(cwd, ['rev-parse', '--show-toplevel']);
  if (root !== undefined) return { root: root.trim(), isGit: true };
  // Git does not look into a repository of another owner; its work tree is one all the same.
  const here = realpathSync(cwd);
  return { root: ancestors(here).find((path) => existsSync(join(path, '.git'))) ?? here, isGit: false };
}

function ancestors(path: string): readonly string[] {
  return path === dirname(path) ? [path] : [path, ...ancestors(dirname(path))];
}

/** The commit that is checked out; undefined without git, or before the first commit. */
export async function currentCommit(cwd: string): Promise<string | undefined> {
  return (await git(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || undefined;
}

/** Changes with every change of a file that git does not ignore. Undefined without git: then nothing can be seen. */
export async function fingerprint(cwd: string): Promise<string | undefined> {
  const filters = await withoutFilters(cwd);
  const [commit, changes, untracked] = await Promise.all([
    currentCommit(cwd),
    git(cwd, [...filters, 'diff', 'HEAD', '--no-ext-diff', '--no-textconv', '--no-color']),
    git(cwd, ['ls-files', '--others', '--exclude-standard', '-z']),
  ]);
  if (changes === undefined || untracked === undefined) return undefined;
  const hash = createHash('sha256').update(`${commit}\0${changes}\0`);
  for (const name of untracked.split('\0').filter((part) => part !== '')) {
    const stat = lstatSync(join(cwd, name), { throwIfNoEntry: false });
    hash.update(`${name}\0${stat?.size}\0${stat?.mtimeMs}\0`);
  }
  return hash.digest('hex');
}

/**
 * Two runs in one work tree would undo each other's work. The lock ends with this process, however that ends. In a git work tree it
 * is in git's own directory, where every TURNOUT_HOME finds it.
 */
export async function lockWorkTree(tree: WorkTree, home: string): Promise<DirectoryLock> {
  const { directory, name } = (await lockInGit(tree)) ?? {
    directory: join(home, 'runs', 'locks'),
    name: createHash('sha256').update(tree.root).digest('hex').slice(0, 16),
  };
  try {
    return await lockDirectory(directory, name);
  } catch (error) {
    if (!(error instanceof HeldError)) throw error;
    const who = error.pid === undefined ? 'Another chain' : `Another chain (process ${error.pid})`;
    throw new TurnoutError('bad_request', `${who} is at work in ${tree.root}.`, {
      hint: 'Wait for it, or give this one a git worktree of its own with --worktree.',
    });
  }
}

/** Undefined without git, or where its directory can't be written, or something else has the lock's name. */
async function lockInGit({
  root,
  isGit,
}: WorkTree): Promise<{ directory: string; name: string } | undefined> {
  const directory = isGit ? (await git(root, ['rev-parse', '--absolute-git-dir']))?.trim() : undefined;
  if (directory === undefined) return undefined;
  const name = 'turnout-chain';
  const existing = lstatSync(join(directory, `${name}.lock`), { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile()) return undefined;
  return access(directory, constants.W_OK).then(
    () => ({ directory, name }),
    () => undefined,
  );
}

export interface OwnWorktree {
  /** The directory that stands for `cwd` in it. */
  readonly cwd: string;
  readonly path: string;
  readonly branch: string;
}

/** Makes a git worktree with a branch of its own for a run, at the commit that is checked out. */
export async function addWorktree(cwd: string, home: string, runId: string): Promise<OwnWorktree> {
  const tree = await findWorkTree(cwd);
  if (!tree.isGit || (await currentCommit(cwd)) === undefined) {
    throw new TurnoutError(
      'bad_request',
      `--worktree needs a git repository with a commit, and ${cwd} is none.`,
      {
        hint: 'Leave --worktree out, or make a first commit.',
      },
    );
  }
  const path = join(home, 'worktrees', runId);
  const branch = `turnout/${runId}`;
  makeDirectory(dirname(path));
  await gitOutput(cwd, [
    ...(await withoutFilters(cwd)),
    'worktree',
    'add',
    '--quiet',
    '-b',
    branch,
    path,
    'HEAD',
  ]);
  const there = join(path, relative(tree.root, realpathSync(cwd)));
  if (existsSync(there)) return { cwd: there, path, branch };
  await git(cwd, ['worktree', 'remove', '--force', path]);
  await git(cwd, ['branch', '-D', branch]);
  throw new TurnoutError(
    'bad_request',
    `${cwd} is not part of the last commit, so a worktree does not have it.`,
    {
      hint: 'Commit it first, or leave --worktree out.',
    },
  );
}

/** Filters of the user's own settings stay (git-lfs is one): only those that the repository's own file names are turned off. */
async function withoutFilters(cwd: string): Promise<readonly string[]> {
  const listed =
    (await git(cwd, ['config', '--local', '--name-only', '-z', '--get-regexp', '^filter\\.'])) ?? '';
  const names = new Set(listed.split('\0').flatMap((key) => /^filter\.(.+)\.\w+$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => [
      '-c',
      `filter.${name}.${setting}`,
    ]),
  );
}

/** Undefined if git is not there, refuses, or does not answer: it reads files of the repository, which may be anything. */
function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  return gitOutput(cwd, args).catch(() => undefined);
}

async function gitOutput(cwd: string, args: readonly string[]): Promise<string> {
  const limits = { timeoutMs: gitMs, maxBytes: 256 * 1024 ** 2 };
  return (await runGit({ cwd, args, env: gitEnvironment(), ...limits })).toString();
}

const gitMs = 60_000;

/** A chain that is started by a hook of git must not work in the repository that the hook is about. */
function gitEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)$/.test(name),
  );
  return childEnvironment(Object.fromEntries(kept), { GIT_OPTIONAL_LOCKS: '0' });
}
