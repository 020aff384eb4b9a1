import { TurnoutError } from '../../core/errors.js';
import type { ProcessUser } from '../../process/process-user.js';
import type { ChangingTurn, TreeChange } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { ChangedSince } from '../channels/changed-since.js';
import type { ChangedFile, ChangeScope, Changes, WorkTreeChanges } from '../channels/lookups.js';
import { compareTrees, type Described, describeChanges, type FileChange, isSame } from './compare-trees.js';
import { type FileNow, fileNow } from './file-now.js';
import { maxFiles } from './limits.js';
import { putBack } from './put-back.js';
import type { Shadow } from './shadow.js';
import { shownPath } from './shown-path.js';
import type { Snapshots } from './snapshots.js';

export interface ChangesParts {
  readonly store: Pick<Store, 'changingTurns' | 'running'>;
  readonly snapshots: Snapshots;
  /** The user that agents run as, if it is another one than ours. */
  readonly user?: ProcessUser | undefined;
}

/** What is to be compared, and where. */
interface Scope {
  readonly shadow: Shadow;
  readonly pairs: readonly TreeChange[];
  readonly reason?: string | undefined;
}

interface ChangeNow extends FileChange {
  readonly now: FileNow;
}

/** Shows what the turns of a channel have changed, and puts it back. */
export class TreeChanges implements WorkTreeChanges {
  readonly #parts: ChangesParts;
  /** One at a time: each starts several programs, and readers may come in numbers. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  list(channel: string, scope: ChangeScope): Promise<Changes> {
    return this.#next(async () => {
      const found = await this.#find(channel, scope);
      if (!('shadow' in found)) return { ...found, files: [] };
      const { shadow, pairs, reason } = found;
      try {
        const changed = await changesNow(shadow, await compareTrees(shadow, pairs));
        const shown = changed.slice(0, maxFiles);
        const since = new Set(shown.filter(isChangedSince).map(({ path }) => path));
        const described = await describeChanges(shadow, shown);
        const files = described.map((file) => toView(file, since.has(file.path)));
        const all = changed.length === shown.length;
        const told = all ? reason : `Only the first ${maxFiles} of ${changed.length} files are shown.`;
        return { ...(told === undefined ? {} : { reason: told }), files };
      } catch (error) {
        return { reason: unreadable(error), files: [] };
      }
    });
  }

  revert(channel: string, request: { scope: ChangeScope; path: string; force: boolean }): Promise<void> {
    return this.#next(() => this.#revert(channel, request));
  }

  async #revert(
    channel: string,
    { scope, path, force }: { scope: ChangeScope; path: string; force: boolean },
  ): Promise<void> {
    if ((await this.#parts.store.running(channel)).length > 0) {
      throw new TurnoutError('bad_request', 'A turn runs in this channel, and may be changing files.', {
        hint: 'Stop it first, or wait for its end.',
      });
    }
    const found = await this.#find(channel, scope);
    const changes = 'shadow' in found ? await compareTrees(found.shadow, found.pairs) : [];
    const change = changes.find((one) => shownPath(one.path) === path);
    if (change === undefined || !('shadow' in found))
      throw new TurnoutError('bad_request', `${path} is not among the changes.`);
    const name = Buffer.from(change.path, 'latin1').toString();
    if (shownPath(change.path) !== name)
      throw new TurnoutError('bad_request', `${path} can't be put back here: its name is not UTF-8.`);
    const { shadow } = found;
    const now = await fileNow(shadow.cwd, change.path);
    if (now !== 'other' && isSame(now, change.before)) return;
    if (!force && isChangedSince({ ...change, now })) throw new ChangedSince(path);
    const to = change.before && {
      mode: change.before.mode,
      content: await shadow.git(['cat-file', 'blob', change.before.oid]),
    };
    await putBack({ cwd: shadow.cwd, path: name, to, user: this.#parts.user });
  }

  /** Finds the trees to compare, or the reason why there are none. */
  async #find(channel: string, scope: ChangeScope): Promise<Scope | { readonly reason?: string }> {
    const { store, snapshots } = this.#parts;
    const turns = await store.changingTurns(channel);
    const last = turns.at(-1);
    const chosen = scope === 'turn' ? turns.slice(-1) : turns;
    const cwd = chosen.findLast(({ changes }) => changes !== undefined)?.changes?.cwd;
    if (cwd === undefined) {
      const reason = chosen.some(({ usedTools }) => usedTools) ? this.#unseen(last) : undefined;
      return reason === undefined ? {} : { reason };
    }
    const shadow = snapshots.shadow(cwd);
    // A channel's directory may have been changed: names of files are those of the last one.
    const named = chosen.flatMap(({ changes }) => (changes?.cwd === cwd ? [changes] : []));
    const pairs = shadow.exists ? await withTrees(shadow, named) : [];
    if (pairs.length === named.length) return { shadow, pairs };
    return { shadow, pairs, reason: gone(named.length - pairs.length, named.length) };
  }

  #unseen(last: ChangingTurn | undefined): string {
    const reason = last && this.#parts.snapshots.reasonAgainst(last.cwd);
    return reason ?? 'No snapshots of the work tree were taken around this.';
  }

  #next<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#last.then(task);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

/** Those whose trees are still there: the snapshots that were not used for the longest time make room for others. */
async function withTrees(shadow: Shadow, pairs: readonly TreeChange[]): Promise<readonly TreeChange[]> {
  const stdin = Buffer.from(pairs.map(({ before, after }) => `${before}\n${after}\n`).join(''));
  const args = ['cat-file', '--batch-check=%(objectname)'];
  const output = (await shadow.git(args, { stdin }).catch(() => Buffer.alloc(0))).toString();
  const there = new Set(output.split('\n').filter((line) => !line.endsWith(' missing')));
  return pairs.filter(({ before, after }) => there.has(before) && there.has(after));
}

function gone(missing: number, of: number): string {
  return missing === of
    ? 'The snapshots of the work tree are not there any more.'
    : `The snapshots of ${missing} of ${of} turns are not there any more.`;
}

/** A file that is again as it was before is no change any more: most were put back. */
async function changesNow(shadow: Shadow, changes: readonly FileChange[]): Promise<readonly ChangeNow[]> {
  const found: ChangeNow[] = [];
  for (let from = 0; from < changes.length; from += atOnce) {
    const some = changes.slice(from, from + atOnce);
    const looked = await Promise.all(
      some.map(async (change) => ({ ...change, now: await fileNow(shadow.cwd, change.path) })),
    );
    found.push(...looked.filter(({ now, before }) => now === 'other' || !isSame(now, before)));
  }
  return found;
}

const atOnce = 16;

/** True if the file has a content by now that no snapshot has: putting it back would lose that. */
function isChangedSince({ now, states }: ChangeNow): boolean {
  return now === 'other' || !states.some((state) => isSame(now, state));
}

function toView(file: Described, changedSince: boolean): ChangedFile {
  const { before, after, binary, additions, deletions, diff } = file;
  return {
    path: shownPath(file.path),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
    binary,
    additions,
    deletions,
    ...(diff === undefined ? {} : { diff }),
    changedSince,
  };
}

function unreadable(error: unknown): string {
  if (error instanceof TurnoutError && error.code === 'not_installed')
    return 'git is not installed, and snapshots of the work tree need it.';
  return `The snapshots of the work tree can't be read: ${error instanceof Error ? error.message : error}`;
}
