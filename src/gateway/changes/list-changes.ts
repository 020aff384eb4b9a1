import { interruptedError, TurnoutError } from '../../core/errors.js';
import type { BytePath } from '../../process/work-tree/byte-path.js';
import type { TreeChange } from '../../store/rows.js';
import type { ChangedFile, Changes } from '../channels/lookups.js';
import { compareTrees, type Described, describeChanges, type FileChange, isSame } from './compare-trees.js';
import { lacksRoom } from './explain-failure.js';
import { type ChangeNow, fileNow } from './file-now.js';
import { maxFiles, maxTurns } from './limits.js';
import type { Shadow } from './shadow.js';
import { shownPath } from './shown-path.js';
import { shownState } from './shown-state.js';

/** What is to be compared, and where. */
export interface Scope {
  readonly shadow: Shadow;
  readonly pairs: readonly TreeChange[];
  /** The number of turns that have used tools there and have no pair of snapshots. */
  readonly unseen: number;
  /** True if the conversation has earlier turns, which are not looked at. */
  readonly isCut: boolean;
}

/** Compares the snapshots of turns, and the work tree as it is now. Rejects only over the signal. */
export async function listChanges(
  { shadow, pairs, unseen, isCut }: Scope,
  signal: AbortSignal | undefined,
): Promise<Changes> {
  try {
    const there = await withTrees(shadow, pairs, signal);
    const changed = await changesNow(shadow, await compareTrees(shadow, there, signal));
    const shown = changed.slice(0, maxFiles);
    const present = new Map<BytePath, Present>();
    for (const change of shown)
      present.set(change.path, {
        changedSince: isChangedSince(change),
        shown: await shownState(shadow, change),
      });
    const described = await describeChanges(shadow, shown, signal);
    const files = described.flatMap((file) => {
      const now = present.get(file.path);
      return now === undefined ? [] : [toView(file, now)];
    });
    const hidden = pairs.reduce((sum, pair) => sum + (pair.hidden ?? 0), 0);
    const missing = [
      ...(isCut ? [`Only what the last ${maxTurns} turns have changed is shown.`] : []),
      ...(there.length < pairs.length ? [gone(pairs.length - there.length, pairs.length)] : []),
      ...(unseen > 0 ? [unknown(unseen, unseen + pairs.length)] : []),
      ...(hidden > 0 ? [tooManyHidden(hidden)] : []),
      ...(shown.length < changed.length
        ? [`Only the first ${maxFiles} of ${changed.length} files are shown.`]
        : []),
    ];
    return { ...(missing.length === 0 ? {} : { reason: missing.join(' ') }), files };
  } catch (error) {
    if (signal?.aborted) throw interruptedError();
    // A power failure or a full disk has spoilt it. It would never get well: git does not write again what is there.
    if (isSpoilt(error)) await shadow.abandon();
    return { reason: unreadable(error), files: [] };
  }
}

/** Those whose trees are still there: the snapshots that were not used for the longest time make room for others. */
export async function withTrees(
  shadow: Shadow,
  pairs: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<readonly TreeChange[]> {
  if (!shadow.exists) return [];
  const stdin = Buffer.from(pairs.map(({ before, after }) => `${before}\n${after}\n`).join(''));
  const args = ['cat-file', '--batch-check=%(objectname)'];
  const output = (await shadow.git(args, { stdin, signal })).toString();
  const there = new Set(output.split('\n').filter((line) => !line.endsWith(' missing')));
  return pairs.filter(({ before, after }) => there.has(before) && there.has(after));
}

/** True if the file has a content by now that no snapshot has: putting it back would lose that. */
export function isChangedSince({ now, states }: ChangeNow): boolean {
  return now === 'other' || !states.some((state) => isSame(now, state));
}

/** A file that is again as it was before is no change any more: most were put back. */
async function changesNow(shadow: Shadow, changes: readonly FileChange[]): Promise<readonly ChangeNow[]> {
  const found: ChangeNow[] = [];
  for (let from = 0; from < changes.length; from += atOnce) {
    const some = changes.slice(from, from + atOnce);
    const looked = await Promise.all(
      some.map(async (change) => ({ ...change, now: await fileNow(shadow, change.path) })),
    );
    found.push(...looked.filter(({ now, before }) => now === 'other' || !isSame(now, before)));
  }
  return found;
}

const atOnce = 16;

type Present = Pick<ChangedFile, 'changedSince' | 'shown'>;

function toView(file: Described, present: Present): ChangedFile {
  const { before, after, binary, additions, deletions, diff } = file;
  return {
    path: shownPath(file.path),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
    binary,
    additions,
    deletions,
    ...(diff === undefined ? {} : { diff }),
    ...present,
  };
}

function gone(missing: number, of: number): string {
  return missing === of
    ? 'The snapshots of the work tree are not there any more.'
    : `The snapshots of ${missing} of ${of} turns are not there any more.`;
}

function unknown(unseen: number, of: number): string {
  return `The changes of ${unseen} of ${of} turns are not known: there are no snapshots from before and after them.`;
}

function tooManyHidden(hidden: number): string {
  return `${hidden} new files are not shown: ignore rules (.gitignore, .git/info/exclude) hide them which were changed while the agent worked.`;
}

function isSpoilt(error: unknown): boolean {
  return error instanceof TurnoutError && /is corrupt|object file .* is empty/.test(error.message);
}

function unreadable(error: unknown): string {
  if (error instanceof TurnoutError && error.code === 'not_installed')
    return 'git is not installed, and snapshots of the work tree need it.';
  if (lacksRoom(error))
    return 'There was too little room on the disk to compare the snapshots of the work tree.';
  if (error instanceof TurnoutError && error.code === 'timeout')
    return 'The comparison of the snapshots of the work tree took too long.';
  // What git says has paths of the gateway's own in it, and warnings that help nobody.
  return `The snapshots of the work tree can't be read${isSpoilt(error) ? ': they are damaged. New ones begin with the next turn' : ''}.`;
}
