import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isShortage } from '../core/errors.js';
import { cgroupName, markInCgroup } from './cgroup-name.js';
import type { Mark } from './mark-child.js';
import { readCgroup } from './read-proc.js';
import { mayUseCgroups } from './system.js';

type FindFamily = () => Promise<readonly { readonly pid: number }[]>;

/**
 * The cgroup (version 2) of one run, below that of this process: what is started in it stays in it, whatever ties it
 * cuts, and it can be killed in one stroke. It can be had as root, in a systemd unit with `Delegate=yes`, and in a
 * container whose cgroups can be written.
 *
 * The child moves in a moment after its start: the kernel takes some 10 ms for a move, in which the CLI itself starts, and
 * a program that has ended by then is spared it. Processes that were started before are moved after it.
 */
export class RunCgroup {
  readonly #mark: Mark;
  #path: string | undefined;
  #holdsAll = false;
  #over = false;

  constructor(mark: Mark) {
    this.#mark = mark;
  }

  /** True if all that the child has started is in here: nothing is left when this is empty. */
  get holdsAll(): boolean {
    return this.#holdsAll;
  }

  /**
   * Moves the child in, and then its family until no look finds a member outside. Where no cgroup can be had, nothing
   * happens. Never rejects.
   */
  async take(root: number, findFamily: FindFamily): Promise<void> {
    // A machine that has no file descriptor left may have one in a moment.
    for (let attempt = 1; attempt <= mostAttempts && !this.#over; attempt++) {
      try {
        return await this.#take(root, findFamily);
      } catch (error) {
        if (!isShortage(error)) return refuseFromNowOn(error);
        await sleep(attempt * 100, undefined, { ref: false });
      }
    }
  }

  async #take(root: number, findFamily: FindFamily): Promise<void> {
    const parent = ownCgroup();
    if (parent === undefined) return;
    const path = join(parent, cgroupName(this.#mark));
    mkdirSync(path, { recursive: true });
    this.#path = path;
    await move(root, path);
    for (let looks = 0; looks < mostLooks; looks++) {
      const family = await findFamily();
      const inside = new Set(this.pids());
      const outside = family.filter(({ pid }) => !inside.has(pid));
      this.#holdsAll = outside.length === 0;
      if (this.#holdsAll) return;
      for (const { pid } of outside) await move(pid, path);
    }
  }

  pids(): readonly number[] {
    return this.#path === undefined ? [] : pidsIn(this.#path);
  }

  /** Kills all processes at once, so that none can fork in between. */
  kill(): void {
    if (this.#path === undefined) return;
    try {
      writeFileSync(join(this.#path, 'cgroup.kill'), '1');
    } catch {
      // It is removed, or the kernel is older than 5.14: signals do it.
    }
  }

  /** Removes the cgroup if nothing lives in it. */
  remove(): void {
    this.#over = true;
    if (this.#path !== undefined) removeCgroup(this.#path);
  }
}

/** Removes cgroups that were left here, of whichever home. One in which somebody lives can't be removed. */
export function removeEmptyCgroups(isLeft: (mark: Mark) => boolean): void {
  const parent = ownCgroup();
  if (parent === undefined) return;
  for (const name of childrenOf(parent)) {
    const mark = markInCgroup(`/${name}`);
    if (mark !== undefined && isLeft(mark)) removeCgroup(join(parent, name));
  }
}

async function move(pid: number, path: string): Promise<void> {
  await writeFile(join(path, 'cgroup.procs'), String(pid)).catch((error: NodeJS.ErrnoException) => {
    // The process has ended, or the run has ended and its cgroup is removed.
    if (error.code !== 'ESRCH' && error.code !== 'ENOENT') throw error;
  });
}

/** A tool may have made cgroups of its own in ours. */
function pidsIn(path: string): readonly number[] {
  try {
    const pids = readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    return [...pids, ...childrenOf(path).flatMap((name) => pidsIn(join(path, name)))];
  } catch {
    return [];
  }
}

function removeCgroup(path: string): void {
  if (removed(path)) return;
  for (const name of childrenOf(path)) removeCgroup(join(path, name));
  removed(path);
}

/** False if somebody lives in it, or below it are others. */
function removed(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function childrenOf(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? entry.name : [],
    );
  } catch {
    return [];
  }
}

/** The directory of this process's cgroup; `undefined` where none can be made in it, as far as is known. */
export function ownCgroup(): string | undefined {
  if (!mayUseCgroups() || refused) return undefined;
  const path = readCgroup('self');
  own = own?.path === path ? own : { path, directory: directoryOf(path) };
  return own.directory;
}

/** Finds where the hierarchy is mounted: a part of it may be, and beside version 1 it is at another place. */
function directoryOf(path: string): string | undefined {
  // A path outside of our namespace begins with `/..`.
  if (path === '' || path.startsWith('/..')) return undefined;
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [mount = '', system = ''] = line.split(' - ');
    if (!system.startsWith('cgroup2 ')) continue;
    const [, , , root = '', point = ''] = mount.split(' ');
    const below = root === '/' ? path : path.startsWith(root) ? path.slice(root.length) : undefined;
    if (below !== undefined && !point.includes('\\')) return join(point, below);
  }
  return undefined;
}

/** Where cgroups may not be made or entered, that stays so while this process lives. */
function refuseFromNowOn(error: unknown): void {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EOPNOTSUPP', 'ENOTSUP'].includes(code)) refused = true;
}

let refused = false;
let own: { readonly path: string; readonly directory: string | undefined } | undefined;
const mostLooks = 5;
const mostAttempts = 12;
