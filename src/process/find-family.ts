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
 * Finds the living processes that one child has started. The tools of all four CLIs run in sessions of their
 * own, so the child's group alone misses them; a process belongs to the family by its parent, its session,
 * the marker, or because it was seen before. The marker can be read on Linux only: elsewhere a process that
 * forks twice into a session of its own is not found.
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
   * Must be called when the root is reaped. From then on its pid may be given to another process, so the
   * members of its group are remembered by name while the pid is still known to be theirs.
   */
  rootExited(): void {
    if (groupHasMembers(this.#root)) this.#rememberGroup();
    this.#rootLives = false;
  }

  async find(): Promise<readonly ProcessRow[]> {
    await this.#left;
    return this.#select(await readProcessTable(this.#rootStart));
  }

  /** Searches synchronously, for the last moments of this process. */
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

/**
 * Returns the seeds and all processes tied to them. A session belongs to its founder, so if one member is in
 * the family, all are.
 */
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
