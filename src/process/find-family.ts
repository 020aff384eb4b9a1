import type { RunCgroup } from './cgroup.js';
import type { Look } from './end-family.js';
import { isMarkedWith } from './mark-child.js';
import { nameOf, type ProcessRow, readProcessTable, readProcessTableNow } from './process-table.js';
import { readRow } from './read-proc.js';
import { hasProc } from './system.js';

/**
 * Finds the living processes that one child has started. The tools of all four CLIs run in sessions of their
 * own, so the child's group alone misses them; a process belongs to the family by its cgroup, its parent, its session,
 * the mark in its environment, or because it was seen before. Without a cgroup a process that has shed all of these is not
 * found; without /proc this is true of one that forks twice into a session of its own if its environment is hidden.
 */
export class ProcessFamily {
  readonly #root: number;
  readonly #rootStart: number;
  readonly #run: string;
  readonly #cgroup: RunCgroup | undefined;
  readonly #ties: 'sessions' | 'founded sessions';
  readonly #seen = new Set<string>();
  #sessions = new Set<number>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #rootLives = true;
  #left: Promise<unknown> | undefined;

  /**
   * A root that was not started in a session of its own is in the session of strangers: then only sessions that a member of
   * the family has founded tie.
   */
  constructor(
    root: number,
    run: string,
    cgroup?: RunCgroup,
    ties: 'sessions' | 'founded sessions' = 'sessions',
  ) {
    this.#root = root;
    this.#run = run;
    this.#cgroup = cgroup;
    this.#ties = ties;
    this.#rootStart = (hasProc() ? readRow(root)?.start : undefined) ?? 0;
  }

  get rootLives(): boolean {
    return this.#rootLives;
  }

  /**
   * Must be called when the root is reaped. From then on its pid may be given to another process, so the
   * members of its group are remembered by name while the pid is still known to be theirs.
   */
  rootExited(): void {
    if (groupHasMembers(this.#root)) this.#rememberGroup();
    this.#rootLives = false;
  }

  async look(): Promise<Look> {
    await this.#left;
    return this.#select(await readProcessTable(this.#rootStart));
  }

  /** Looks synchronously, for the last moments of this process. */
  lookNow(): Look {
    return this.#select(readProcessTableNow(this.#rootStart));
  }

  #rememberGroup(): void {
    if (hasProc()) this.#select(readProcessTableNow(this.#rootStart), true);
    else
      this.#left = readProcessTable().then(
        (table) => this.#select(table, true),
        () => {},
      );
  }

  #select(table: readonly ProcessRow[], rootLives = this.#rootLives): Look {
    const inCgroup = new Set(this.#cgroup?.pids());
    const sessions = this.#rememberedSessions();
    let unsure = false;
    const found = closeOver(
      table,
      (row) => {
        if (inCgroup.has(row.pid) || this.#seen.has(nameOf(row))) return true;
        if (rootLives && (row.pid === this.#root || row.session === this.#root)) return true;
        if (row.start < this.#rootStart) return false;
        if (sessions.has(row.session)) return true;
        const marked = isMarkedWith(row, this.#run);
        if (marked === 'unknown') unsure = true;
        return marked === true;
      },
      { sessions: this.#ties === 'sessions' || 'founded' },
    );
    for (const row of found) {
      this.#seen.add(nameOf(row));
      if (this.#ties === 'sessions' || isFounder(row)) sessions.add(row.session);
    }
    this.#sessions = sessions;
    this.#lookedAt = performance.now();
    return { found, unsure };
  }

  /**
   * Of a session seen a moment ago one process may be left that was started between two looks: all that it was tied to has
   * just been ended. Later the session's number may be somebody else's.
   */
  #rememberedSessions(): Set<number> {
    return performance.now() - this.#lookedAt < sessionMemoryMs ? this.#sessions : new Set();
  }
}

/**
 * Returns the seeds and all processes tied to them. A session belongs to its founder, so if one member is in
 * the family, all are.
 */
export function closeOver(
  table: readonly ProcessRow[],
  isSeed: (row: ProcessRow) => boolean,
  ties: { readonly sessions: boolean | 'founded' },
): readonly ProcessRow[] {
  const strangers = new Set(table.filter((row) => row.pid !== process.pid));
  const family: ProcessRow[] = [];
  const pids = new Set<number>();
  const sessions = new Set<number>();
  let found = [...strangers].filter(isSeed);
  while (found.length > 0) {
    for (const row of found) {
      strangers.delete(row);
      family.push(row);
      pids.add(row.pid);
      if (ties.sessions === 'founded' ? isFounder(row) : ties.sessions) sessions.add(row.session);
    }
    found = [...strangers].filter((row) => pids.has(row.parent) || sessions.has(row.session));
  }
  return family;
}

function isFounder({ pid, session }: ProcessRow): boolean {
  return pid === session;
}

function groupHasMembers(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const sessionMemoryMs = 1000;
