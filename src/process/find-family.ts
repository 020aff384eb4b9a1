import { isMarkedWith } from './mark-child.js';
import {
  hasProc,
  type ProcessIdentity,
  type ProcessRow,
  readProcessTable,
  readProcessTableNow,
} from './process-table.js';
import { readRow } from './read-proc.js';

/**
 * All that one child has started and that still lives. The tools of all four CLIs run in sessions of their own, so the
 * child's group alone misses them; ties are the parent, the session, the marker, and having been seen before.
 * The marker can be read on Linux only: elsewhere what forks twice into a session of its own is not found.
 */
export class ProcessFamily {
  readonly #root: number;
  readonly #rootStart: number;
  readonly #run: string;
  readonly #seen = new Set<string>();
  #rootLives = true;
  #left: Promise<void> | undefined;

  constructor(root: number, run: string) {
    this.#root = root;
    this.#run = run;
    this.#rootStart = readRow(root)?.start ?? 0;
  }

  get rootLives(): boolean {
    return this.#rootLives;
  }

  /**
   * To be called when the root is reaped. From now on its number may be given to somebody else, so whoever it left in
   * its group is remembered by name while the number is still known to be theirs.
   */
  rootExited(): void {
    if (groupHasMembers(this.#root)) this.#rememberGroup();
    this.#rootLives = false;
  }

  async find(): Promise<readonly ProcessRow[]> {
    await this.#left;
    return this.#select(await readProcessTable(this.#rootStart));
  }

  /** In one go, for the last moments of our own process. */
  findNow(): readonly ProcessRow[] {
    return this.#select(readProcessTableNow(this.#rootStart));
  }

  #rememberGroup(): void {
    const remember = (table: readonly ProcessRow[]) => void this.#select(table, true);
    if (hasProc) remember(readProcessTableNow(this.#rootStart));
    else this.#left = readProcessTable(this.#rootStart).then(remember, () => {});
  }

  #select(table: readonly ProcessRow[], rootLives = this.#rootLives): readonly ProcessRow[] {
    const family = closeOver(
      table,
      (row) =>
        (rootLives && (row.pid === this.#root || row.session === this.#root)) ||
        this.#seen.has(nameOf(row)) ||
        (row.start >= this.#rootStart && isMarkedWith(row.pid, this.#run)),
      { sessions: true },
    );
    for (const row of family) this.#seen.add(nameOf(row));
    return family;
  }
}

/** The seeds and all that hangs on them. A session belongs to its founder, so one member tells for all. */
export function closeOver(
  table: readonly ProcessRow[],
  isSeed: (row: ProcessRow) => boolean,
  ties: { readonly sessions: boolean },
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
      if (ties.sessions) sessions.add(row.session);
    }
    found = [...strangers].filter((row) => pids.has(row.parent) || sessions.has(row.session));
  }
  return family;
}

export function nameOf({ pid, start }: ProcessIdentity): string {
  return `${pid}.${start}`;
}

function groupHasMembers(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
