import { removeEmptyCgroups } from './cgroup.js';
import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { closeOver } from './find-family.js';
import { homeMark, readMark } from './mark-child.js';
import {
  commandOf,
  isAlive,
  nameOf,
  type ProcessIdentity,
  type ProcessRow,
  readProcessTable,
} from './process-table.js';
import { pidNamespace } from './read-proc.js';
import { hasProc } from './system.js';

/** A process that a Turnout started, directly or not, and that has outlived that Turnout. */
export interface Orphan extends ProcessIdentity {
  /** The `pid.start` of the Turnout that is gone. */
  readonly owner: string;
  readonly run: string;
  readonly command: string;
}

export interface SweepOptions {
  /** The TURNOUT_HOME whose orphans are meant: those of another are its own business. */
  readonly home: string;
  readonly graceMs?: number;
  /** True if a next sweep will find what forks in the moment of this one: one look that finds nothing is enough then. */
  readonly quick?: boolean;
}

export async function findOrphans({ home }: SweepOptions): Promise<readonly Orphan[]> {
  return (await findOrphaned(homeMark(home))).orphaned.flatMap(({ orphan }) => orphan ?? []);
}

/**
 * Ends all orphans of a home and the processes they started, and reports them. Processes of an owner that lives, such
 * as a second Turnout on this machine, are left alone.
 */
export async function endOrphans({ home, graceMs, quick }: SweepOptions): Promise<readonly EndedOrphan[]> {
  const mark = homeMark(home);
  const deadline = performance.now() + (graceMs ?? defaultGraceMs);
  const reported = new Map<string, Orphan>();
  const survivors = await endFamily({
    async look() {
      const { orphaned, unsure } = await findOrphaned(mark);
      for (const { orphan } of orphaned) if (orphan) reported.set(nameOf(orphan), orphan);
      return { found: orphaned.map(({ row }) => row), unsure };
    },
    send: (family, signal) =>
      sendTo(
        family.map(({ pid }) => pid),
        signal,
      ),
    deadline: () => deadline,
    sureLooks: quick ? 1 : 2,
  });
  removeEmptyCgroups(({ owner }) => !ownerLives(owner));
  const surviving = new Set(survivors.map(nameOf));
  return [...reported.values()].map((orphan) => ({ ...orphan, ended: !surviving.has(nameOf(orphan)) }));
}

export interface EndedOrphan extends Orphan {
  readonly ended: boolean;
}

interface Orphaned {
  readonly row: ProcessRow;
  /** `undefined` for a child of an orphan that carries no mark. */
  readonly orphan: Orphan | undefined;
}

async function findOrphaned(
  home: string,
): Promise<{ readonly orphaned: readonly Orphaned[]; readonly unsure: boolean }> {
  const table = await readProcessTable();
  const orphans = new Map<ProcessRow, Orphan>();
  const spared = new Set(ancestors(table, process.pid));
  let unsure = false;
  for (const row of table) {
    const mark = readMark(row);
    if (mark === 'unknown') unsure = true;
    if (mark === 'unknown' || mark === 'none') continue;
    if (mark.home !== home || ownerLives(mark.owner) || !sharesOurPids(row.pid)) spared.add(row.pid);
    else if (!spared.has(row.pid))
      orphans.set(row, { ...identity(row), owner: mark.owner, run: mark.run, command: commandOf(row) });
  }
  // Sessions are no tie here: a mark that somebody exported by hand must not cost him his terminal.
  const family = closeOver(
    table.filter((row) => !spared.has(row.pid)),
    (row) => orphans.has(row),
    { sessions: false },
  );
  return { orphaned: family.map((row) => ({ row, orphan: orphans.get(row) })), unsure };
}

/** This process and its ancestors are spared: a tool of a Turnout that is gone may have started this one. */
function ancestors(table: readonly ProcessRow[], pid: number): number[] {
  const row = table.find((candidate) => candidate.pid === pid);
  return row === undefined || row.parent === 0 ? [pid] : [pid, ...ancestors(table, row.parent)];
}

/**
 * An owner whose name can't be read counts as alive, because nobody can prove it dead. Without /proc so does one whose pid
 * has another process.
 */
export function ownerLives(owner: string): boolean {
  const [, pid, start] = (hasProc() ? /^(\d+)\.(\d+)$/ : /^(\d+)\.t?(\d+)$/).exec(owner) ?? [];
  if (pid === undefined || start === undefined) return true;
  return isAlive({ pid: Number(pid), start: Number(start) });
}

/** The owner's pid is valid only in this process's pid namespace: containers count their own. */
function sharesOurPids(pid: number): boolean {
  if (!hasProc()) return true;
  const own = pidNamespace('self');
  return own !== undefined && pidNamespace(pid) === own;
}

function identity({ pid, start }: ProcessRow): ProcessIdentity {
  return { pid, start };
}
