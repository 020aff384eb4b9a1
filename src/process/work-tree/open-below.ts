import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../core/is-inside.js';
import { hasProc } from '../system.js';
import { type BytePath, bytesOf } from './byte-path.js';

/** What a work tree has by a name. */
export type Found =
  | {
      readonly type: 'file';
      /** Its path and that of the tree, without links. */
      readonly real: BytePath;
      readonly root: BytePath;
      readonly content: Buffer;
      readonly isExecutable: boolean;
      /** A file with a second name may be one of another place. */
      readonly names: number;
      readonly uid: number;
    }
  | { readonly type: 'large'; readonly real: BytePath; readonly root: BytePath; readonly size: number }
  /** Only if links are not followed, or if it has just become one. */
  | { readonly type: 'link'; readonly target: BytePath }
  | { readonly type: 'missing' }
  /** It is, or a link leads, outside of the tree. */
  | { readonly type: 'outside' }
  /** A directory, a pipe, a device, or one that changes while it is looked at. */
  | { readonly type: 'other' }
  /** The reader may not. */
  | { readonly type: 'closed' };

export interface ReadRequest {
  readonly tree: BytePath;
  /** From the tree, or absolute. */
  readonly path: BytePath;
  readonly maxBytes: number;
  /** Links are followed within the tree; otherwise one on the way is `other`. */
  readonly followLinks: boolean;
}

/** Reads a file of a work tree. This is the one place that opens one. */
export async function readBelow(request: ReadRequest): Promise<Found> {
  try {
    const root = await realPath(request.tree);
    const wanted = resolve(root, request.path);
    const real = request.followLinks
      ? await realPath(wanted).catch(unlessMissing)
      : join(await realPath(dirname(wanted)), basename(wanted));
    if (real === undefined)
      return (await isMissingIn(root, wanted)) ? { type: 'missing' } : { type: 'outside' };
    if (!isInside(real, root)) return { type: 'outside' };
    if (!request.followLinks && real !== wanted) return { type: 'other' };
    const there = await lstat(bytesOf(real));
    if (there.isSymbolicLink()) return { type: 'link', target: await linkTarget(real) };
    // To open a device can start something, and to open a pipe lets a writer go on.
    if (!there.isFile()) return { type: 'other' };
    // Without O_NONBLOCK a pipe that has come meanwhile would block for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
    const file = await open(bytesOf(real), flags);
    try {
      const facts = await file.stat();
      if (!facts.isFile() || !(await isStillAt(file, facts, real))) return { type: 'other' };
      return { ...(await readUpTo(file, facts, request.maxBytes)), real, root };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { type: reasonOf(error) };
  }
}

/** What is known of a file without opening it. */
export type Facts =
  | {
      readonly type: 'file' | 'folder' | 'link' | 'other';
      readonly size: number;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      readonly ino: number;
      readonly mtimeMs: number;
      readonly ctimeMs: number;
      /** Only of a file. */
      readonly isReadable: boolean;
    }
  | { readonly type: 'missing' }
  | { readonly type: 'closed' };

export interface FactsRequest {
  readonly tree: BytePath;
  readonly paths: readonly BytePath[];
  /** Of a link: what is known of the file that it leads to. */
  readonly followLinks: boolean;
}

export function factsBelow({ tree, paths, followLinks }: FactsRequest): Promise<readonly Facts[]> {
  return Promise.all(paths.map((path) => factsOf(bytesOf(resolve(tree, path)), followLinks)));
}

async function factsOf(path: Buffer, followLinks: boolean): Promise<Facts> {
  try {
    const facts = await (followLinks ? stat : lstat)(path);
    const { size, mode, uid, gid, ino, mtimeMs, ctimeMs } = facts;
    const type = typeOf(facts);
    const isReadable = type === 'file' && (await mayRead(path));
    return { type, size, mode, uid, gid, ino, mtimeMs, ctimeMs, isReadable };
  } catch (error) {
    const reason = reasonOf(error);
    return { type: reason === 'other' ? 'closed' : reason };
  }
}

function typeOf(facts: Stats) {
  if (facts.isFile()) return 'file';
  if (facts.isDirectory()) return 'folder';
  return facts.isSymbolicLink() ? 'link' : 'other';
}

function mayRead(path: Buffer): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** The names in a folder; none if there is no folder, or it can't be read, or a link is on the way. */
export async function namesBelow(tree: BytePath, folder: BytePath): Promise<readonly BytePath[]> {
  try {
    const wanted = resolve(await realPath(tree), folder);
    if ((await realPath(wanted)) !== wanted) return [];
    return (await readdir(bytesOf(wanted), { encoding: 'buffer' })).map((name) => name.toString('latin1'));
  } catch {
    return [];
  }
}

/** The opened file is the one at the checked path: no folder on the way became a link meanwhile. */
async function isStillAt(file: FileHandle, opened: Stats, real: BytePath): Promise<boolean> {
  // The kernel knows what was opened. Any number of looks at the path could each be answered with another folder in its place.
  if (hasProc()) return (await linkTarget(`/proc/self/fd/${file.fd}`)) === real;
  const now = await lstat(bytesOf(real));
  return (await realPath(real)) === real && now.ino === opened.ino && now.dev === opened.dev;
}

async function readUpTo(file: FileHandle, facts: Stats, maxBytes: number) {
  const large = (size: number) => ({ type: 'large', size }) as const;
  if (facts.size > maxBytes) return large(facts.size);
  // It may grow while it is read, and files of the system have no size.
  const chunks: Buffer[] = [];
  let size = 0;
  for (let room = Math.max(facts.size, 4095) + 1; ; room = Math.min(maxBytes + 1 - size, 65_536)) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(room), 0, room, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > maxBytes) return large(size);
  }
  const content = Buffer.concat(chunks, size);
  const isExecutable = (facts.mode & 0o100) !== 0;
  return { type: 'file', content, isExecutable, names: facts.nlink, uid: facts.uid } as const;
}

/** True if the file could be made in the tree: its nearest folder that exists is inside. */
async function isMissingIn(root: BytePath, wanted: BytePath): Promise<boolean> {
  for (let parent = dirname(wanted); parent !== dirname(parent); parent = dirname(parent)) {
    const real = await realPath(parent).catch(unlessMissing);
    if (real !== undefined) return isInside(real, root);
  }
  return false;
}

export interface RealTarget {
  /** The tree without links. */
  readonly root: BytePath;
  /** Where a program would write that follows all links. */
  readonly path: BytePath;
  readonly outside: boolean;
  /** True if a link inside the tree leads there. */
  readonly isLinked: boolean;
}

const maxLinks = 40;

/** Where a path of a work tree leads to, whether or not there is a file yet. Undefined if that can't be found out. */
export async function targetBelow(tree: BytePath, path: BytePath): Promise<RealTarget | undefined> {
  try {
    const root = await realPath(tree);
    // The tree may have been given by a link: what is written in it counts as written in the real one.
    const given = resolve(tree, path);
    const wanted = isInside(given, resolve(tree)) ? join(root, given.slice(resolve(tree).length)) : given;
    const real = await follow(wanted, maxLinks);
    if (real === undefined) return undefined;
    return { root, path: real, outside: !isInside(real, root), isLinked: real !== wanted };
  } catch {
    return undefined;
  }
}

/** As `realpath`, also for what does not exist: a link to a missing file makes that file when it is written to. */
async function follow(path: BytePath, linksLeft: number): Promise<BytePath | undefined> {
  const real = await realPath(path).catch(() => undefined);
  if (real !== undefined || linksLeft === 0 || path === dirname(path)) return real;
  const parent = await follow(dirname(path), linksLeft);
  if (parent === undefined) return undefined;
  const inParent = join(parent, basename(path));
  const isLink = await lstat(bytesOf(inParent)).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  return isLink ? follow(resolve(parent, await linkTarget(inParent)), linksLeft - 1) : inParent;
}

async function realPath(path: BytePath): Promise<BytePath> {
  return (await realpath(bytesOf(path), { encoding: 'buffer' })).toString('latin1');
}

async function linkTarget(path: BytePath): Promise<BytePath> {
  return (await readlink(bytesOf(path), { encoding: 'buffer' })).toString('latin1');
}

function unlessMissing(error: unknown): undefined {
  if (reasonOf(error) !== 'missing') throw error;
}

function reasonOf(error: unknown): 'missing' | 'closed' | 'other' {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'EACCES' || code === 'EPERM' ? 'closed' : 'other';
}
