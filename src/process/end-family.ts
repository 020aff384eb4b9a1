import { isAlive, type ProcessRow } from './process-table.js';

export const defaultGraceMs = 2000;

export interface Ending {
  /** Finds the processes to end that still live. */
  find(): Promise<readonly ProcessRow[]>;
  send(family: readonly ProcessRow[], signal: NodeJS.Signals): void;
  /** The time of `performance.now()` at which SIGKILL follows. It may move closer meanwhile. */
  readonly deadline: () => number;
  /** If it resolves, the processes are checked at once instead of after the next pause. */
  readonly change?: Promise<unknown>;
}

/**
 * Sends SIGTERM, waits, and sends SIGKILL to the processes that still live; then searches again until nothing
 * is found, because a process may start others while it is being ended. Returns the processes that even
 * SIGKILL can't end (another user's, or stuck in the kernel).
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
const killPatienceMs = 2000;
