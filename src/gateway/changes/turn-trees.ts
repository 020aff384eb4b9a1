import { late, within } from '../../core/wait.js';
import type { TreeChange } from '../../store/rows.js';
import type { Taken } from './take-snapshot.js';

/** Watches what one turn changes. Nothing here ever rejects. */
export interface TurnTrees {
  /** True if there was no snapshot of the directory so far. The first one takes long, and has to be there before the agent starts. */
  readonly isFirst: boolean;
  /** The tree before the turn, unless it can't be known. */
  readonly before: Promise<string | undefined>;
  /** Resolves when the tree before the turn is known, or can't be. A turn waits for it for a limited time in all. */
  wait(): Promise<void>;
  /** True when there is nothing to wait for. */
  readonly isTaken: boolean;
  /** A tool begins: what is not known by now is not the state before the turn. */
  toolBegins(): void;
  /** Takes the tree after the turn. What is not known in time is left out: an answer waits for it. */
  end(): Promise<TreeChange | undefined>;
}

export interface WatchedTurn {
  readonly isFirst: boolean;
  readonly before: Promise<Taken | undefined>;
  readonly waitMs: number;
  compare(): Promise<TreeChange | undefined>;
  /** Called if the changes of the turn are not known since a snapshot was not there in time. */
  tellLate(): void;
}

export function watchTurn({ isFirst, before, waitMs, compare, tellLate }: WatchedTurn): TurnTrees {
  let isTaken = false;
  let isMissed = false;
  let waited: Promise<unknown> | undefined;
  void before.then(() => {
    isTaken = true;
  });
  return {
    isFirst,
    before: before.then((taken) => taken?.tree),
    wait: async () => {
      waited ??= within(waitMs, before);
      await waited;
    },
    get isTaken() {
      return isTaken;
    },
    toolBegins: () => {
      isMissed ||= !isTaken;
    },
    end: async () => {
      const found = isMissed ? late : await within(waitMs, compare());
      if (found !== late) return found;
      tellLate();
      return undefined;
    },
  };
}

export const unwatched: TurnTrees = {
  isFirst: false,
  before: Promise.resolve(undefined),
  wait: async () => undefined,
  isTaken: true,
  toolBegins: () => undefined,
  end: async () => undefined,
};
