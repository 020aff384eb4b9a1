import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Environment, homeDirectory } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import { ownerLives } from '../../process/end-orphans.js';
import { ownName } from '../../process/mark-child.js';

/** A file that exists as long as the run, readable by its owner only. */
export interface ScratchFile {
  readonly path: string;
  readonly content: string;
}

/** Returns a directory name that no other run has; the directory is created only when a file is put in it. */
export function scratchDirectory(env: Environment): string {
  return join(writableRoot(env), `run-${ownName()}-${randomBytes(8).toString('hex')}`);
}

export async function writeScratchFiles(directory: string, files: readonly ScratchFile[]): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const file of files) {
      const handle = await open(file.path, 'wx', 0o600);
      try {
        await handle.writeFile(file.content);
      } finally {
        await handle.close();
      }
    }
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
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
}

/** Removes the directory synchronously, for the last moments of this process. */
export function removeScratchFilesNow(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // The next sweep removes it.
  }
}

/** Removes the files of a killed Turnout. Files of a living owner stay. */
export async function sweepScratchFiles(env: Environment): Promise<number> {
  const root = scratchRoot(env);
  const names = await readdir(root).catch(() => []);
  const stale = names.filter((name) => {
    const owner = /^run-(\d+\.\w+)-[0-9a-f]+$/.exec(name)?.[1];
    return owner !== undefined && !ownerLives(owner);
  });
  await Promise.all(stale.map((name) => removeScratchFiles(join(root, name))));
  return stale.length;
}

/** The directory is not in /tmp by default: Gemini ignores settings files in a world-writable directory. */
function scratchRoot(env: Environment): string {
  return join(homeDirectory(env), 'tmp');
}

/** If the home can't be written, the system's own place for temporary files is used. */
function writableRoot(env: Environment): string {
  const root = scratchRoot(env);
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK);
    return root;
  } catch {
    return join(tmpdir(), `turnout-${userInfo().uid}`);
  }
}
