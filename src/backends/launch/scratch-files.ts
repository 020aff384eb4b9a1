import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, homeDirectory } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import { makeDirectory } from '../../core/make-directory.js';
import { ownerLives } from '../../process/end-orphans.js';
import { ownName } from '../../process/mark-child.js';
import { asUser, type ProcessUser } from '../../process/process-user.js';
import { isOurs, temporaryDirectory, temporaryPath } from './private-directory.js';

/** A file that exists as long as the run, readable by its owner only. */
export interface ScratchFile {
  readonly path: string;
  readonly content: string;
}

/**
 * Returns a directory name that no other run has; the directory is created only when a file is put in it. `user` is the
 * run's, here and below, if that is another one than ours.
 */
export function scratchDirectory(env: Environment, user?: ProcessUser): string {
  const root = user === undefined ? writableRoot(env) : agentRoot();
  return join(root, `run-${ownName()}-${randomBytes(8).toString('hex')}`);
}

/** The file for a run's stdout, which only we open: it is beside the directory, where the run's user can't replace it. */
export function scratchOutput(directory: string): string {
  return `${directory}.stdout`;
}

export async function writeScratchFiles(
  directory: string,
  files: readonly ScratchFile[],
  user?: ProcessUser,
): Promise<void> {
  try {
    makeDirectory(directory);
    for (const file of files) {
      // A few small files: to write them here takes less time than to hand them to other threads.
      const handle = openSync(file.path, 'wx', 0o600);
      try {
        writeFileSync(handle, file.content);
        if (user !== undefined) fchownSync(handle, user.uid, user.gid);
      } finally {
        closeSync(handle);
      }
    }
    // The directory is handed over last: from then on the user may change what is in it.
    if (user !== undefined) chownSync(directory, user.uid, user.gid);
  } catch (cause) {
    const full = ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '');
    throw new TurnoutError('crashed', `Could not write a temporary file in ${directory}: ${String(cause)}`, {
      hint: full
        ? 'The disk is full: free some space.'
        : 'Set TURNOUT_HOME to a directory that can be written.',
      cause,
    });
  }
}

export async function removeScratchFiles(directory: string): Promise<void> {
  if (removeAtOnce(directory)) return;
  // The next sweep removes what is left. A process that has no file descriptors for a moment can't read a directory.
  const again = { maxRetries: 6, retryDelay: 250 };
  const remove = (path: string) =>
    rm(path, { recursive: true, force: true, ...again }).catch(() => undefined);
  const owner = otherOwner(directory);
  if (owner !== undefined) {
    const { command, args } = removal(directory, owner);
    await run(command, args, bare).catch(() => undefined);
    await rmdir(directory).catch(() => undefined);
  } else await remove(directory);
  await remove(scratchOutput(directory));
}

/** Removes a directory of ours with nothing but files in it, as almost all are; Node's `rm` takes 4 ms. False if that fails. */
function removeAtOnce(directory: string): boolean {
  try {
    if (otherOwner(directory) !== undefined) return false;
    unlinkIfThere(scratchOutput(directory));
    for (const name of readdirSync(directory)) unlinkSync(join(directory, name));
    rmdirSync(directory);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !isThere(directory);
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Removes the directory synchronously, for the last moments of this process. */
export function removeScratchFilesNow(directory: string): void {
  try {
    rmSync(scratchOutput(directory), { force: true });
    const owner = otherOwner(directory);
    if (owner === undefined) {
      rmSync(directory, { recursive: true, force: true });
      return;
    }
    const { command, args } = removal(directory, owner);
    spawnSync(command, args, bare);
    rmdirSync(directory);
  } catch {
    // The next sweep removes it.
  }
}

/** The user that the directory was handed over to. Undefined if it is ours still: then nobody else could change it. */
function otherOwner(directory: string): Stats | undefined {
  try {
    const facts = lstatSync(directory);
    return facts.uid === process.geteuid?.() ? undefined : facts;
  } catch {
    return undefined;
  }
}

/**
 * Removes the contents with the owner's rights: it may have put a link in the place of a folder, and what we remove must not
 * be what that points to.
 */
function removal(directory: string, owner: Stats) {
  const { command, args } = asUser(owner, '/bin/rm', ['-rf', '--', directory], '--clear-groups');
  return { command, args: [...args] };
}

const run = promisify(execFile);
const bare = { cwd: '/', env: {}, timeout: 5000 };

/** Removes the files of a killed Turnout, whatever its AGENT_USER was. Files of a living owner stay. */
export async function sweepScratchFiles(env: Environment): Promise<number> {
  const roots = [scratchRoot(env), temporaryPath(''), temporaryPath(agentSuffix)].filter(isOurs);
  const swept = await Promise.all(roots.map((root) => sweep(root)));
  return swept.reduce((sum, count) => sum + count, 0);
}

async function sweep(root: string): Promise<number> {
  const names = await readdir(root).catch(() => []);
  const stale = names.flatMap((name) => {
    const [, directory, owner] = /^(run-(\d+\.\w+)-[0-9a-f]+)(?:\.stdout)?$/.exec(name) ?? [];
    return directory === undefined || owner === undefined || ownerLives(owner) ? [] : directory;
  });
  const runs = [...new Set(stale)];
  await Promise.all(runs.map((name) => removeScratchFiles(join(root, name))));
  return runs.length;
}

/** The directory is not in /tmp by default: Gemini ignores settings files in a world-writable directory. */
function scratchRoot(env: Environment): string {
  return join(homeDirectory(env), 'tmp');
}

/** If the home can't be written, or somebody else has made the directory, another place is used. */
function writableRoot(env: Environment): string {
  const root = scratchRoot(env);
  try {
    makeDirectory(root);
    accessSync(root, constants.W_OK);
    if (isOurs(root)) return root;
  } catch {
    // It can't be written.
  }
  return temporaryDirectory('', 0o700);
}

const agentSuffix = '-agents';

/** The home is closed to the agents' user. This directory can be passed through, not listed; each run's own is closed. */
export function agentRoot(): string {
  return temporaryDirectory(agentSuffix, 0o711);
}
