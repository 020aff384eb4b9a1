import { isAlive, type ProcessRow } from './process-table.js';

export const defaultGraceMs = 2000;

export interface Ending {
  /** Everything that is to end and still lives. */
  find(): Promise<readonly ProcessRow[]>;
  send(family: readonly ProcessRow[], signal: NodeJS.Signals): void;
  /** When patience ends, in the time of `performance.now()`. It may move closer while we wait. */
  readonly deadline: () => number;
  /** Resolves early what would else be noticed at the next look. */
  readonly change?: Promise<unknown>;
}

/**
 * Asks with SIGTERM, waits, and kills what still lives; then looks again, until nothing is found: a process may start
 * others while it is being ended. Gives back what even SIGKILL can't end (another user's, or stuck in the kernel).
 */
export async function endFamily(ending: Ending): Promise<readonly ProcessRow[]> {
  let giveUpAt: number | undefined;
  for (;;) {
    const family = await ending.find();
    const now = performance.now();
    if (family.length === 0) return [];
    if (giveUpAt !== undefined && now > giveUpAt) return family;
    if (now < ending.deadline()) {
      ending.send(family, 'SIGTERM');
      await untilGone(family, ending.deadline, ending.change);
    } else {
      const until = giveUpAt ?? now + killPatienceMs;
      giveUpAt = until;
      ending.send(family, 'SIGKILL');
      await untilGone(family, () => until, ending.change);
    }
  }
}

/** Signals processes that were found a moment ago; those that are gone by now, or not ours, are left out. */
export function sendTo(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: it has ended by itself. EPERM: it runs as another user.
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

/** True when the change came before the time was over. */
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
const killPatienceMs = 2000;
