import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

export interface RealTarget {
  /** The directory without links. */
  readonly root: string;
  /** Where a program would write that follows all links. */
  readonly path: string;
  readonly outside: boolean;
  /** True if a link inside the directory leads there. */
  readonly isLinked: boolean;
}

const maxLinks = 40;

/** Where a path of a directory leads to, whether or not there is a file yet. Undefined if that can't be found out. */
export async function realTarget(directory: string, path: string): Promise<RealTarget | undefined> {
  try {
    const root = await realpath(directory);
    // The directory may have been given by a link: what is written in it counts as written in the real one.
    const given = resolve(directory, path);
    const wanted = isIn(directory, given) ? join(root, given.slice(resolve(directory).length)) : given;
    const real = await follow(wanted, maxLinks);
    if (real === undefined) return undefined;
    return { root, path: real, outside: real !== root && !isIn(root, real), isLinked: real !== wanted };
  } catch {
    return undefined;
  }
}

/** As `realpath`, also for what does not exist: a link to a missing file makes that file when it is written to. */
async function follow(path: string, linksLeft: number): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || linksLeft === 0 || path === dirname(path)) return real;
  const parent = await follow(dirname(path), linksLeft);
  if (parent === undefined) return undefined;
  const inParent = join(parent, basename(path));
  const isLink = await lstat(inParent).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  return isLink ? follow(resolve(parent, await readlink(inParent)), linksLeft - 1) : inParent;
}

function isIn(directory: string, path: string): boolean {
  const root = resolve(directory);
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
