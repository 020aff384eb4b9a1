import { interruptedError, TurnoutError } from '../../core/errors.js';
import { isInside } from '../../core/is-inside.js';
import { bytesOf } from '../../process/work-tree/byte-path.js';
import type { ChangingTurn } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { ChangedSince, NotAsShown } from '../channels/changed-since.js';
import type { ChangeScope, Changes, RevertRequest, WorkTreeChanges } from '../channels/lookups.js';
import { compareTrees, isSame } from './compare-trees.js';
import { DirectoryQueues } from './directory-queues.js';
import { fileNow } from './file-now.js';
import { maxTurns, turnWaitMs } from './limits.js';
import { isChangedSince, listChanges, type Scope, withTrees } from './list-changes.js';
import { putBack } from './put-back.js';
import { realPath } from './real-path.js';
import { shownPath } from './shown-path.js';
import { shownState } from './shown-state.js';
import type { Snapshots } from './snapshots.js';

export interface ChangesParts {
  readonly store: Pick<Store, 'changingTurns' | 'running'>;
  readonly snapshots: Snapshots;
}

/** Shows what the turns of a channel have changed, and puts it back. */
export class TreeChanges implements WorkTreeChanges {
  readonly #parts: ChangesParts;
  readonly #queues = new DirectoryQueues();

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  async list(channel: string, scope: ChangeScope, signal?: AbortSignal): Promise<Changes> {
    const found = await this.#find(channel, scope);
    if (!('shadow' in found)) return { ...found, files: [] };
    return this.#queues.run(found.shadow.cwd, () => listChanges(found, signal), signal);
  }

  async revert(channel: string, request: RevertRequest, signal?: AbortSignal): Promise<void> {
    const found = await this.#find(channel, request.scope);
    if (!('shadow' in found)) throw noSuchChange(request);
    return this.#queues.run(
      found.shadow.cwd,
      async () => {
        await this.#checkNoneRuns(channel, found.shadow.cwd);
        await this.#revert(found, request, signal).catch((error: unknown) => {
          throw signal?.aborted ? interruptedError() : explained(request.path, error);
        });
      },
      signal,
    );
  }

  /** A turn of another channel may run in the same directory, around it or inside. */
  async #checkNoneRuns(channel: string, cwd: string): Promise<void> {
    for (const turn of await this.#parts.store.running()) {
      const other = turn.setup && (realPath(turn.setup.cwd) ?? turn.setup.cwd);
      const isHere = other !== undefined && (isInside(other, cwd) || isInside(cwd, other));
      if (turn.channel !== channel && !isHere) continue;
      const where =
        turn.channel === channel ? 'this channel' : `the same directory, in channel ${turn.channel}`;
      throw new TurnoutError('bad_request', `A turn runs in ${where}, and may be changing files.`, {
        hint: 'Stop it first, or wait for its end.',
      });
    }
  }

  async #revert(
    { shadow, pairs }: Scope,
    request: RevertRequest,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { path, force, shown } = request;
    const changes = await compareTrees(shadow, await withTrees(shadow, pairs, signal), signal);
    const change = changes.find((one) => shownPath(one.path) === path);
    if (change === undefined) throw noSuchChange(request);
    const name = bytesOf(change.path).toString();
    if (!bytesOf(change.path).equals(Buffer.from(name)))
      throw new TurnoutError('bad_request', `${path} can't be put back here: its name is not UTF-8.`);
    if (name.startsWith('../'))
      throw new TurnoutError(
        'bad_request',
        `${path} can't be put back here: it is outside of ${shadow.cwd}.`,
      );
    const now = await fileNow(shadow, change.path);
    if (shown !== undefined && shown !== (await shownState(shadow, { ...change, now })))
      throw new NotAsShown(path);
    if (now !== 'other' && isSame(now, change.before)) return;
    if (!force && isChangedSince({ ...change, now })) throw new ChangedSince(path);
    const to = change.before && {
      mode: change.before.mode,
      content: await shadow.git(['cat-file', 'blob', change.before.oid], { signal }),
    };
    await putBack({ cwd: shadow.cwd, path: name, to, workTrees: shadow.workTrees });
  }

  /** Finds the trees to compare, or the reason why there are none. */
  async #find(channel: string, scope: ChangeScope): Promise<Scope | { readonly reason?: string }> {
    const { store, snapshots } = this.#parts;
    // One more tells that there are more.
    const turns = await store.changingTurns(channel, scope === 'turn' ? 1 : maxTurns + 1);
    const chosen = turns.slice(-maxTurns);
    const last = chosen.findLast(({ changes }) => changes !== undefined);
    if (last?.changes === undefined)
      return chosen.some(isUnseen) ? { reason: this.#whyUnseen(turns.at(-1)) } : {};
    const { cwd } = last.changes;
    // A channel's directory may have been changed: names of files are those of the last one.
    const pairs = chosen.flatMap(({ changes }) => (changes?.cwd === cwd ? [changes] : []));
    const unseen = chosen.filter((turn) => isUnseen(turn) && turn.cwd === last.cwd).length;
    return { shadow: snapshots.shadow(cwd), pairs, unseen, isCut: turns.length > chosen.length };
  }

  #whyUnseen(last: ChangingTurn | undefined): string {
    const reason = last && this.#parts.snapshots.reasonAgainst(last.cwd);
    return reason ?? `There are no snapshots of the work tree from before and after this${late}.`;
  }
}

const late = ` (one that takes over ${turnWaitMs / 1000} seconds, as the first one of a large work tree does, is not waited for)`;

/** True if the turn may have changed files, and nobody knows which. */
function isUnseen({ usedTools, changes }: ChangingTurn): boolean {
  return usedTools && changes === undefined;
}

/** Git is missing, or took too long. */
function explained(path: string, error: unknown): unknown {
  if (!(error instanceof TurnoutError) || error.code === 'bad_request') return error;
  const code = error.code === 'timeout' ? 'overloaded' : 'bad_request';
  return new TurnoutError(code, `${path} could not be put back: ${error.message}`, { cause: error });
}

function noSuchChange({ path, shown }: RevertRequest): TurnoutError {
  if (shown !== undefined) return new NotAsShown(path);
  return new TurnoutError('bad_request', `${path} is not among the changes.`);
}
