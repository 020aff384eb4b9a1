import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Log } from '../../config/log.js';
import { TurnoutError } from '../../core/errors.js';
import { isInside } from '../../core/is-inside.js';
import { waitLimit } from '../../core/wait-limit.js';
import type { BytePath } from '../../process/work-tree/byte-path.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';
import type { TreeChange } from '../../store/rows.js';
import { explainFailure, lacksRoom } from './explain-failure.js';
import { prepareMs, restMs, snapshotMs, turnWaitMs } from './limits.js';
import { realPath } from './real-path.js';
import { Shadow, snapshotsDirectory } from './shadow.js';
import { type SnapshotRun, type Taken, takeByView, takeSnapshot } from './take-snapshot.js';
import { type TurnTrees, unwatched, watchTurn } from './turn-trees.js';

export interface SnapshotParts {
  readonly home: string;
  readonly enabled: boolean;
  /** The PATH on which git is looked up. */
  readonly path: string | undefined;
  /** The homes of users, beside our own: nobody wants to see all that changes there. */
  readonly homes: readonly string[];
  readonly workTrees: WorkTreeFiles;
  readonly log: Log;
  readonly now: () => number;
  /** The time that a turn waits for each of its two snapshots: 2 seconds unless given. */
  readonly waitMs?: number | undefined;
}

export type { TurnTrees } from './turn-trees.js';

/** What is known of a work tree. At most one snapshot runs and one waits, which all share that ask for one meanwhile. */
interface WorkTree {
  readonly shadow: Shadow;
  /** The trees of turns that are not on disk yet, perhaps: they are not removed. */
  readonly handedOut: Map<string, number>;
  running?: Promise<Taken | undefined> | undefined;
  waiting?: Promise<Taken | undefined> | undefined;
  /** The last one, and when it was begun. */
  latest?: (Taken & { readonly at: number }) | undefined;
  /** The ignore files in it that were seen so far. */
  readonly ignoreFiles: Set<BytePath>;
  /** The times at which the last ones were begun. */
  begun: number[];
  /** True if the log has a line about a snapshot that came too late for its turn. */
  isLateTold?: boolean;
  givenUp?: { readonly reason: string; readonly at: number } | undefined;
}

/** Takes the snapshots of work trees, in shadow directories in TURNOUT_HOME. */
export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #trees = new Map<string, WorkTree>();
  readonly #closing = new AbortController();
  #resolved: { readonly cwd: string; readonly real: string | undefined; readonly at: number } | undefined;

  #preparing: NodeJS.Timeout | undefined;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Begins to watch a turn. `cwd` is any path of its directory. */
  begin(cwd: string): TurnTrees {
    const tree = this.#open(cwd);
    if (tree === undefined) return unwatched;
    const isFirst = !tree.shadow.hasSnapshot;
    const before = this.#before(tree);
    return watchTurn({
      isFirst,
      before,
      waitMs: this.#parts.waitMs ?? turnWaitMs,
      compare: () => this.#compare(tree, before),
      tellLate: () => this.#tellLate(tree),
    });
  }

  /** Takes the tree after a turn. Ignore rules that were written since its beginning hide nothing from it. */
  async #compare(tree: WorkTree, begun: Promise<Taken | undefined>): Promise<TreeChange | undefined> {
    const before = await begun;
    const after = before && (await this.#fresh(tree));
    if (before === undefined || after === undefined) return undefined;
    const change = { cwd: tree.shadow.cwd, before: before.tree, after: after.tree };
    if (after.view.rules === before.view.rules && after.view.root === before.view.root) return change;
    const { signal, release } = waitLimit(snapshotMs, [this.#closing.signal]);
    try {
      const { tree: shown, hidden } = await takeByView(tree.shadow, before.view, signal);
      this.#handOut(tree, shown);
      return { ...change, after: shown, ...(hidden > 0 ? { hidden } : {}) };
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#giveUp(tree, error);
      return undefined;
    } finally {
      release();
    }
  }

  /** Soon takes the first snapshot of a directory, if there is none: a turn could not wait for that of a large one. */
  prepare(cwd: string): void {
    this.#preparing = setTimeout(() => {
      const tree = this.#open(cwd);
      if (tree !== undefined && !tree.shadow.hasSnapshot) void this.#fresh(tree);
    }, prepareMs);
  }

  /** The reason why no snapshots are taken of a directory now; undefined if they are. */
  reasonAgainst(cwd: string): string | undefined {
    const refused = this.#refusal(cwd);
    if (refused !== undefined) return refused;
    const tree = this.#trees.get(realPath(cwd) ?? cwd);
    if (tree?.running !== undefined && !tree.shadow.hasSnapshot) return firstRuns;
    return tree?.givenUp?.reason;
  }

  /** The shadow of a directory, by its real path. */
  shadow(cwd: string): Shadow {
    return this.#trees.get(cwd)?.shadow ?? this.#shadow(cwd);
  }

  /** The trees that were handed out lately: turns that run may come to name them. */
  handedOut(cwd: string): readonly string[] {
    return [...(this.#trees.get(cwd)?.handedOut.keys() ?? [])];
  }

  /** True while a snapshot is taken there, and for an hour after the last one: a turn may be running. */
  isBusy(cwd: string): boolean {
    const tree = this.#trees.get(cwd);
    if (tree === undefined) return false;
    const last = Math.max(0, ...tree.handedOut.values());
    return tree.running !== undefined || this.#parts.now() - last < hourMs;
  }

  /** True while the first snapshot is taken in a shadow directory, which may not be whole yet. */
  isMaking(directory: string): boolean {
    const trees = [...this.#trees.values()];
    return trees.some(
      ({ shadow, running }) => shadow.directory === directory && running && !shadow.hasSnapshot,
    );
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    clearTimeout(this.#preparing);
    this.#closing.abort();
    const trees = [...this.#trees.values()];
    await Promise.allSettled(trees.flatMap(({ running, waiting }) => [running, waiting]));
    await Promise.all(trees.map(({ shadow }) => shadow.close()));
  }

  #open(cwd: string): WorkTree | undefined {
    const real = this.#resolve(cwd);
    if (real === undefined || this.#closing.signal.aborted) return undefined;
    const known = this.#trees.get(real);
    if (this.#rests(known?.givenUp)) return undefined;
    const tree = known ?? {
      shadow: this.#shadow(real),
      handedOut: new Map(),
      begun: [],
      ignoreFiles: new Set(),
    };
    this.#trees.set(real, tree);
    return tree;
  }

  /** A clock that is set back ends it. */
  #rests(givenUp: WorkTree['givenUp']): boolean {
    const since = givenUp === undefined ? restMs : this.#parts.now() - givenUp.at;
    return since >= 0 && since < restMs;
  }

  /** The real path of a directory that snapshots may be taken of. With many turns a second, it is not looked up for each. */
  #resolve(cwd: string): string | undefined {
    const now = this.#parts.now();
    if (this.#resolved?.cwd === cwd && Math.abs(now - this.#resolved.at) < 1000) return this.#resolved.real;
    const real = this.#refusal(cwd) === undefined ? realPath(cwd) : undefined;
    this.#resolved = { cwd, real, at: now };
    return real;
  }

  #shadow(cwd: string): Shadow {
    const { home, path, workTrees } = this.#parts;
    return new Shadow(cwd, { home, path, workTrees, signal: this.#closing.signal });
  }

  #refusal(cwd: string): string | undefined {
    const { enabled, home, homes } = this.#parts;
    if (!enabled) return 'Snapshots of work trees are turned off (WORK_TREE_CHANGES=0).';
    const real = realPath(cwd) ?? cwd;
    if (real === '/') return 'The work tree is the root directory, of which no snapshots are taken.';
    if ([homedir(), ...homes].some((path) => realPath(path) === real))
      return 'The work tree is a home directory, of which no snapshots are taken.';
    if (isInside(realPath(home) ?? home, real))
      return "The gateway's own files are in the work tree, so no snapshots are taken of it.";
    return undefined;
  }

  /**
   * A tree before a turn has all that was written before its message came. Only where very many turns begin, they share one that is a
   * little older: each snapshot takes some time of this process.
   */
  #before(tree: WorkTree): Promise<Taken | undefined> {
    const now = this.#parts.now();
    tree.begun = tree.begun.filter((at) => at <= now && at > now - 1000);
    if (tree.begun.length < maxPerSecond) return this.#fresh(tree);
    if (tree.running !== undefined) return tree.running;
    const { latest } = tree;
    if (latest === undefined || now - latest.at > 1000 / maxPerSecond) return this.#fresh(tree);
    this.#handOut(tree, latest.tree);
    return Promise.resolve(latest);
  }

  /** A snapshot that runs already may have missed what was written last. One that waits is about to start, even if none runs. */
  #fresh(tree: WorkTree): Promise<Taken | undefined> {
    if (tree.waiting !== undefined) return tree.waiting;
    if (tree.running === undefined) return this.#start(tree);
    tree.waiting = tree.running.then(() => {
      tree.waiting = undefined;
      return this.#start(tree);
    });
    return tree.waiting;
  }

  #start(tree: WorkTree): Promise<Taken | undefined> {
    const running = this.#take(tree).finally(() => {
      if (tree.running === running) tree.running = undefined;
    });
    tree.running = running;
    return running;
  }

  async #take(tree: WorkTree): Promise<Taken | undefined> {
    const { home, now } = this.#parts;
    const at = now();
    tree.begun.push(at);
    const { signal, release } = waitLimit(snapshotMs, [this.#closing.signal]);
    try {
      if (!tree.shadow.exists) {
        tree.latest = undefined;
        await mkdir(snapshotsDirectory(home), { recursive: true, mode: 0o700 });
        await tree.shadow.create();
      }
      const { shadow, ignoreFiles, latest } = tree;
      const run = { shadow, ignoreFiles, latest, signal };
      const taken = await takeSnapshot(run).catch((error: unknown) => afresh(run, error));
      if (taken.tree !== latest?.tree) await shadow.touch();
      tree.latest = { ...taken, at };
      tree.givenUp = undefined;
      this.#handOut(tree, taken.tree);
      return taken;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#giveUp(tree, error);
      return undefined;
    } finally {
      release();
    }
  }

  #handOut(tree: WorkTree, name: string): void {
    const now = this.#parts.now();
    for (const [old, at] of tree.handedOut) if (at < now - dayMs) tree.handedOut.delete(old);
    tree.handedOut.set(name, now);
  }

  #tellLate(tree: WorkTree): void {
    if (tree.isLateTold) return;
    tree.isLateTold = true;
    this.#parts.log.warn('the changes of a turn are not kept: a snapshot of the work tree takes too long', {
      directory: tree.shadow.cwd,
    });
  }

  #giveUp(tree: WorkTree, error: unknown): void {
    const { log, now } = this.#parts;
    const reason = explainFailure(error);
    // The same trouble is logged once, not every ten minutes.
    if (tree.givenUp?.reason !== reason)
      log.warn('no snapshot could be taken of a work tree: changes are not shown there', {
        directory: tree.shadow.cwd,
        reason,
        error,
      });
    // It costs little to see that there is no room, and a person may make some at once.
    tree.givenUp = { reason, at: lacksRoom(error) ? Number.NEGATIVE_INFINITY : now() };
  }
}

/** The number of snapshots of one work tree in a second that every turn gets its own of. */
const maxPerSecond = 8;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const firstRuns =
  'The first snapshot of this work tree is still being taken. Turns that begin after that show their changes.';

/** An index that does not fit its objects (a power failure, a full disk) is made anew. */
async function afresh(run: SnapshotRun, error: unknown): Promise<Taken> {
  const { shadow, signal } = run;
  const isBroken = error instanceof TurnoutError && error.code === 'bad_request' && !lacksRoom(error);
  if (signal.aborted || !isBroken) throw error;
  await rm(shadow.indexFor(shadow.findRoot()), { force: true });
  return takeSnapshot({ ...run, latest: undefined });
}
