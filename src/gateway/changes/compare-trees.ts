import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, nulTerminated } from '../../process/work-tree/byte-path.js';
import { maxDiffBytes, maxFileDiffBytes } from './limits.js';
import { entryPath, isRefused, isSeed, pathOfEntry } from './own-entries.js';
import type { Shadow } from './shadow.js';
import { shownPath } from './shown-path.js';

/** A file in a tree. `mode` is git's: 100644, 100755, or 120000 for a link. */
export interface TreeFile {
  readonly mode: string;
  readonly oid: string;
}

export interface FileChange {
  readonly path: BytePath;
  readonly before?: TreeFile | undefined;
  readonly after?: TreeFile | undefined;
  /** Every state in which a pair of trees has the file: none of them is lost when it is put back. */
  readonly states: readonly (TreeFile | undefined)[];
}

export interface TreePair {
  readonly before: string;
  readonly after: string;
}

/**
 * Compares pairs of trees, oldest first, and joins the changes of each file: from its state before the first pair that changes it to
 * that after the last one. What somebody else has changed between two pairs is no change, unless it is in such a file.
 */
export async function compareTrees(
  shadow: Shadow,
  pairs: readonly TreePair[],
  signal?: AbortSignal,
): Promise<readonly FileChange[]> {
  const differing = pairs.filter(({ before, after }) => before !== after);
  if (differing.length === 0) return [];
  const stdin = Buffer.from(differing.map(({ before, after }) => `${before} ${after}\n`).join(''));
  const args = ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'];
  const changes = new Map<BytePath, FileChange & { readonly states: (TreeFile | undefined)[] }>();
  for (const change of parseRaw((await shadow.git(args, { stdin, signal })).toString('latin1'))) {
    const { path, before, states } = changes.get(change.path) ?? { ...change, states: [] };
    states.push(...change.states);
    changes.set(path, { path, before, after: change.after, states });
  }
  return [...changes.values()].filter(({ path, before, after }) => !isSeed(path) && !isSame(before, after));
}

export function isSame(one: TreeFile | undefined, other: TreeFile | undefined): boolean {
  return one?.mode === other?.mode && one?.oid === other?.oid;
}

export interface Described extends FileChange {
  readonly binary: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly diff?: string | undefined;
}

/** Counts the lines of changes and shows them, as far as the limits allow. */
export async function describeChanges(
  shadow: Shadow,
  changes: readonly FileChange[],
  signal?: AbortSignal,
): Promise<readonly Described[]> {
  if (changes.length === 0) return [];
  // They may be of many pairs of trees: two trees of nothing else hold them.
  const before = await treeOf(shadow, changes, 'before', signal);
  const after = await treeOf(shadow, changes, 'after', signal);
  const args = ['diff-tree', '-r', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];
  const counted = await shadow.git([...args, '--raw', '--numstat', '-z', before, after], { signal });
  const { order, counts } = parseCounts(counted.toString('latin1'));
  let isCut = false;
  const patch = await shadow.git([...args, '-p', '--src-prefix=a/', '--dst-prefix=b/', before, after], {
    signal,
    maxBytes: 32 * maxDiffBytes,
    onCut: () => {
      isCut = true;
    },
  });
  const diffs = splitPatch(patch.toString('utf8'), order, isCut);
  let room = maxDiffBytes;
  return order.map((change) => {
    const { binary, additions, deletions } = counts.get(change.path) ?? nothingCounted;
    const text = binary ? undefined : withName(change.path, diffs.get(change.path));
    const size = text === undefined ? 0 : Buffer.byteLength(text);
    const fits = size <= Math.min(room, maxFileDiffBytes);
    if (fits) room -= size;
    return { ...change, binary, additions, deletions, diff: fits ? text : undefined };
  });
}

/** Puts the name of a file in the place of our own for it. */
function withName(path: BytePath, diff: string | undefined): string | undefined {
  return isRefused(path) ? diff?.replaceAll(entryPath(path), () => shownPath(path)) : diff;
}

const nothingCounted = { binary: false, additions: 0, deletions: 0 };

async function treeOf(
  shadow: Shadow,
  changes: readonly FileChange[],
  side: 'before' | 'after',
  signal: AbortSignal | undefined,
): Promise<string> {
  const entries = changes.flatMap((change) => {
    const file = change[side];
    return file === undefined ? [] : [`${file.mode} ${file.oid}\t${entryPath(change.path)}`];
  });
  const index = join(shadow.directory, `compared-${side}`);
  for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
  await shadow.git(['update-index', '--replace', '-z', '--index-info'], {
    index,
    signal,
    stdin: nulTerminated(entries),
  });
  return (await shadow.git(['write-tree'], { index, signal })).toString().trim();
}

/** Reads `:100644 100644 <oid> <oid> M\0<path>\0`. Each pair of trees begins with a line of their names. */
function parseRaw(output: string): readonly FileChange[] {
  const changes: FileChange[] = [];
  let at = 0;
  while (at < output.length) {
    if (output[at] !== ':') {
      at = output.indexOf('\n', at) + 1;
      if (at === 0) break;
      continue;
    }
    const facts = output.indexOf('\0', at);
    const end = output.indexOf('\0', facts + 1);
    if (facts < 0 || end < 0) break;
    changes.push(toChange(output.slice(at + 1, facts), output.slice(facts + 1, end)));
    at = end + 1;
  }
  return changes;
}

function toChange(facts: string, entry: BytePath): FileChange {
  const path = pathOfEntry(entry);
  const [oldMode = '', newMode = '', oldOid = '', newOid = ''] = facts.split(' ');
  const file = (mode: string, oid: string) => (/^0+$/.test(mode) ? undefined : { mode, oid });
  const [before, after] = [file(oldMode, oldOid), file(newMode, newOid)];
  return { path, before, after, states: [before, after] };
}

type Counted = typeof nothingCounted;

/** The raw entries come first, then `<added>\t<deleted>\t<path>\0`, with `-` for binary files. */
function parseCounts(output: string): {
  readonly order: readonly FileChange[];
  readonly counts: ReadonlyMap<BytePath, Counted>;
} {
  const fields = output.split('\0');
  const order: FileChange[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(':'); at += 2) {
    order.push(toChange((fields[at] ?? '').slice(1), fields[at + 1] ?? ''));
  }
  const counts = new Map<BytePath, Counted>();
  for (const field of fields.slice(at)) {
    const [, added = '', deleted = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    const binary = added === '-';
    counts.set(pathOfEntry(path), { binary, additions: Number(added) || 0, deletions: Number(deleted) || 0 });
  }
  return { order, counts };
}

/**
 * Cuts a patch into its files. They come in the order of the raw entries, so no name has to be read out of it. A file that became a
 * link, or the other way round, has two parts.
 */
function splitPatch(
  patch: string,
  order: readonly FileChange[],
  isCut: boolean,
): ReadonlyMap<BytePath, string> {
  // Not /^/m: that also matches behind a CR and other ends of lines, which a file's own text may have in front of such words.
  const parts = patch.split(/(?<=\n)(?=diff --git )/).filter((part) => part !== '');
  if (isCut) parts.pop();
  const diffs = new Map<BytePath, string>();
  let at = 0;
  for (const { path, before, after } of order) {
    const count = before && after && before.mode.slice(0, 2) !== after.mode.slice(0, 2) ? 2 : 1;
    const own = parts.slice(at, at + count);
    at += count;
    if (own.length === count) diffs.set(path, own.join(''));
  }
  return diffs;
}
