import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { type BytePath, bytePath } from '../../process/work-tree/byte-path.js';
import type { Facts, WorkTreeFiles } from '../../process/work-tree-files.js';
import { maxFileBytes, maxNewBytes, maxNewFiles, minFreeBytes } from './limits.js';
import type { Shadow } from './shadow.js';

export interface Chosen {
  readonly paths: readonly BytePath[];
  /** Files that were written just now, with their modes: they may be written again without a trace in their times and sizes. */
  readonly recent: ReadonlyMap<BytePath, string>;
  /** True if some of `paths` were written just now, too. */
  readonly hasMoreRecent: boolean;
  /** Files whose attributes git would wait for: their folder, or one above it, has a pipe of that name. With their modes. */
  readonly unfiltered: ReadonlyMap<BytePath, string>;
}

/**
 * Leaves out what can't be kept: large files, unreadable ones, and what is no file. If such a one was kept before, its former
 * content stays in the tree: it counts as unchanged.
 */
export async function chooseFiles(shadow: Shadow, root: string, paths: readonly BytePath[]): Promise<Chosen> {
  if (paths.length > maxNewFiles)
    throw new TurnoutError('unsupported', `it is too large (more than ${maxNewFiles} files in it are new)`);
  const chosen: BytePath[] = [];
  const recent = new Map<BytePath, string>();
  const unfiltered = new Map<BytePath, string>();
  const { workTrees } = shadow;
  const tree = bytePath(shadow.cwd);
  const isPlain = attributesCheck(root, workTrees);
  let hasMoreRecent = false;
  let bytes = 0;
  for (let from = 0; from < paths.length; from += atOnce) {
    const some = paths.slice(from, from + atOnce);
    const found = await workTrees.facts({ tree, paths: some, followLinks: false });
    const plain = await Promise.all(some.map((path) => isPlain(folderOf(shadow.cwd, path))));
    for (const [at, path] of some.entries()) {
      const facts = factsToKeep(found[at]);
      if (facts === undefined) continue;
      bytes += facts.size;
      const isRecent = facts.writtenAt > Date.now() - recentMs;
      const fits = recent.size < maxRecent;
      if (facts.mode === undefined) chosen.push(path);
      else if (!plain[at]) unfiltered.set(path, facts.mode);
      else if (isRecent && fits) recent.set(path, facts.mode);
      else {
        chosen.push(path);
        hasMoreRecent ||= isRecent;
      }
    }
    if (bytes > maxNewBytes)
      throw new TurnoutError(
        'unsupported',
        `it is too large (more than ${maxNewBytes / 1024 ** 2} MiB in it are new)`,
      );
  }
  if (bytes > 0) await checkRoom(shadow.directory, bytes);
  return { paths: chosen, recent, hasMoreRecent, unfiltered };
}

const atOnce = 256;

/** Git compares the seconds of times. */
const recentMs = 2500;
const maxRecent = 500;

interface KeptFacts {
  readonly size: number;
  readonly writtenAt: number;
  /** Only of a file. One that is gone, or is a link or a directory by now, has none. */
  readonly mode?: string;
}

/** Undefined: it is not kept. */
function factsToKeep(facts: Facts | undefined): KeptFacts | undefined {
  if (facts === undefined || facts.type === 'closed' || facts.type === 'other') return undefined;
  if (facts.type === 'missing') return { size: 0, writtenAt: 0 };
  // A program can set only the first one back.
  const writtenAt = Math.max(facts.mtimeMs, facts.ctimeMs);
  if (facts.type !== 'file') return { size: 0, writtenAt };
  if (facts.size > maxFileBytes || !facts.isReadable) return undefined;
  return { size: facts.size, writtenAt, mode: facts.mode & 0o100 ? '100755' : '100644' };
}

function folderOf(cwd: string, path: BytePath): string {
  return dirname(`${Buffer.from(cwd).toString('latin1')}/${path}`);
}

/** Tells whether the attributes files that count in a folder can be read at once. */
function attributesCheck(root: string, workTrees: WorkTreeFiles): (folder: BytePath) => Promise<boolean> {
  const known = new Map<BytePath, Promise<boolean>>();
  const top = Buffer.from(root).toString('latin1');
  const isPlain = async (folder: BytePath): Promise<boolean> => {
    const above = folder.length <= top.length ? true : await check(dirname(folder));
    return above && (await isHarmless(workTrees, folder));
  };
  const check = (folder: BytePath): Promise<boolean> => {
    const found = known.get(folder) ?? isPlain(folder);
    known.set(folder, found);
    return found;
  };
  return check;
}

async function isHarmless(workTrees: WorkTreeFiles, folder: BytePath): Promise<boolean> {
  const [facts] = await workTrees.facts({ tree: folder, paths: ['.gitattributes'], followLinks: true });
  return facts?.type !== 'other';
}

/** The disk's last room is for what the gateway must not lose. */
async function checkRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < bytes + minFreeBytes)
    throw new TurnoutError('unsupported', 'the disk of TURNOUT_HOME has too little room for it');
}
