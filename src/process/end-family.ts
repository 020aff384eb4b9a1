import { setImmediate as nextTurn } from 'node:timers/promises';
import { isAlive, nameOf, type ProcessRow } from './process-table.js';
import { hasProc } from './system.js';

export const defaultGraceMs = 2000;

/** The result of one look at the processes. */
export interface Look {
  /** The processes to end that still live. */
  readonly found: readonly ProcessRow[];
  /** True if there was a process of which nobody could tell whose it is. */
  readonly unsure?: boolean;
}

export interface Ending {
  look(): Promise<Look>;
  send(family: readonly ProcessRow[], signal: NodeJS.Signals): void;
  /** The time of `performance.now()` at which SIGKILL follows. It may move closer meanwhile. */
  readonly deadline: () => number;
  /** If it resolves, the processes are checked at once instead of after the next pause. */
  readonly change?: Promise<unknown>;
  /** True if one look that finds nothing is proof. Otherwise a fork may have passed it by, and a second look follows. */
  readonly isCertain?: () => boolean;
  /** How many looks in a row, all sure of what they saw, have to find nothing. Default 2. */
  readonly sureLooks?: 1 | 2;
}

/**
 * Sends SIGTERM, waits, and sends SIGKILL to the processes that still live; then looks again until nothing
 * is found, because a process may start others while it is being ended. Returns the processes that even
 * SIGKILL can't end (another user's, or stuck in the kernel).
 */
export async function endFamily(ending: Ending): Promise<readonly ProcessRow[]> {
  const doubt = new Doubt(ending.sureLooks ?? 2);
  const asked = new Set<string>();
  let trustMs = firstTrustMs;
  let giveUpAt: number | undefined;
  for (;;) {
    const { found: family, unsure = false } = await ending.look();
    const now = performance.now();
    if (family.length === 0) {
      if (doubt.isOver(unsure, ending.isCertain?.() ?? false)) return [];
      await doubt.pause(unsure);
      continue;
    }
    doubt.begin();
    // Without /proc an ended process that nobody has reaped seems to live: only the next look tells.
    const lookAgainAt = hasProc() ? Number.POSITIVE_INFINITY : now + trustMs;
    trustMs *= 2;
    if (giveUpAt !== undefined && now > giveUpAt) return family;
    if (now < ending.deadline()) {
      // Nobody is asked twice: some CLIs count.
      const unasked = family.filter((row) => !asked.has(nameOf(row)));
      for (const row of unasked) asked.add(nameOf(row));
      if (unasked.length > 0) ending.send(unasked, 'SIGTERM');
      await untilGone(family, () => Math.min(lookAgainAt, ending.deadline()), ending.change);
    } else {
      const until = giveUpAt ?? now + killPatienceMs;
      giveUpAt = until;
      ending.send(family, 'SIGKILL');
      await untilGone(family, () => Math.min(lookAgainAt, until), ending.change);
    }
  }
}

/** Decides after how many looks that find nothing there is nothing. */
class Doubt {
  readonly #needed: number;
  #sureLooks = 0;
  #unsureSince: number | undefined;
  #pauseMs = 1;

  constructor(needed: number) {
    this.#needed = needed;
  }

  begin(): void {
    this.#sureLooks = 0;
    this.#unsureSince = undefined;
    this.#pauseMs = 1;
  }

  isOver(unsure: boolean, certain: boolean): boolean {
    if (certain) return true;
    this.#unsureSince ??= unsure ? performance.now() : undefined;
    // A process that shows nothing for so long has wiped it out itself.
    const isPatient = performance.now() - (this.#unsureSince ?? 0) < doubtPatienceMs;
    this.#sureLooks = unsure && isPatient ? 0 : this.#sureLooks + 1;
    return this.#sureLooks >= this.#needed;
  }

  async pause(unsure: boolean): Promise<void> {
    if (!unsure) return await nextTurn();
    await sleep(this.#pauseMs, undefined);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }
}

/** Signals processes that were found a moment ago, and skips those that are gone or another user's. */
export function sendTo(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: the process has ended by itself. EPERM: it runs as another user.
    }
  }
}

async function untilGone(
  family: readonly ProcessRow[],
  until: () => number,
  change: Promise<unknown> | undefined,
): Promise<void> {
  let alive = family.filter(isAlive);
  let awaited = change;
  for (let pause = 1; alive.length > 0; pause = Math.min(pause * 2, longestPauseMs)) {
    const left = until() - performance.now();
    if (left <= 0) return;
    if (await sleep(Math.min(pause, left), awaited)) awaited = undefined;
    alive = alive.filter(isAlive);
  }
}

/** Resolves to true if the change came before the time was over. */
function sleep(ms: number, change: Promise<unknown> | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    change?.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const longestPauseMs = 25;
const firstTrustMs = 30;
const killPatienceMs = 2000;
const doubtPatienceMs = 500;
