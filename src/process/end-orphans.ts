import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { closeOver, nameOf } from './find-family.js';
import { readMarker } from './mark-child.js';
import { isAlive, type ProcessIdentity, type ProcessRow, readProcessTable } from './process-table.js';
import { pidNamespace, readCommandLine } from './read-proc.js';

/** A process that a Turnout started, directly or not, and that has outlived that Turnout. */
export interface Orphan extends ProcessIdentity {
  /** The `pid.start` of the Turnout that is gone. */
  readonly owner: string;
  readonly run: string;
  readonly command: string;
}

/** Works on Linux only: elsewhere another process's environment can't be read, and nothing is found. */
export async function findOrphans(): Promise<readonly Orphan[]> {
  return (await findOrphaned()).flatMap(({ orphan }) => orphan ?? []);
}

/**
 * Ends all orphans and the processes they started, and reports them. Processes of an owner that lives, such
 * as a second Turnout on this machine, are left alone.
 */
export async function endOrphans(
  options: { readonly graceMs?: number } = {},
): Promise<readonly EndedOrphan[]> {
  const deadline = performance.now() + (options.graceMs ?? defaultGraceMs);
  const reported = new Map<string, Orphan>();
  const survivors = await endFamily({
    async find() {
      const orphaned = await findOrphaned();
      for (const { orphan } of orphaned) if (orphan) reported.set(nameOf(orphan), orphan);
      return orphaned.map(({ row }) => row);
    },
    send: (family, signal) =>
      sendTo(
        family.map(({ pid }) => pid),
        signal,
      ),
    deadline: () => deadline,
  });
  const surviving = new Set(survivors.map(nameOf));
  return [...reported.values()].map((orphan) => ({ ...orphan, ended: !surviving.has(nameOf(orphan)) }));
}

export interface EndedOrphan extends Orphan {
  readonly ended: boolean;
}

interface Orphaned {
  readonly row: ProcessRow;
  /** `undefined` for a child of an orphan that carries no marker. */
  readonly orphan: Orphan | undefined;
}

async function findOrphaned(): Promise<readonly Orphaned[]> {
  const table = await readProcessTable();
  const orphans = new Map<ProcessRow, Orphan>();
  const spared = new Set(ancestors(table, process.pid));
  for (const row of table) {
    const marker = readMarker(row.pid);
    if (marker === undefined) continue;
    if (ownerLives(marker.owner) || !sharesOurPids(row.pid)) spared.add(row.pid);
    else if (!spared.has(row.pid))
      orphans.set(row, { ...identity(row), ...marker, command: readCommandLine(row.pid) });
  }
  // Sessions are no tie here: a marker that somebody exported by hand must not cost him his terminal.
  const family = closeOver(
    table.filter((row) => !spared.has(row.pid)),
    (row) => orphans.has(row),
    { sessions: false },
  );
  return family.map((row) => ({ row, orphan: orphans.get(row) }));
}

/** This process and its ancestors are spared: a tool of a Turnout that is gone may have started this one. */
function ancestors(table: readonly ProcessRow[], pid: number): number[] {
  const row = table.find((candidate) => candidate.pid === pid);
  return row === undefined || row.parent === 0 ? [pid] : [pid, ...ancestors(table, row.parent)];
}

/** An owner whose name can't be read counts as alive, because nobody can prove it dead. */
export function ownerLives(owner: string): boolean {
  const [, pid, start] = /^(\d+)\.(\d+)$/.exec(owner) ?? [];
  if (pid === undefined || start === undefined) return true;
  return isAlive({ pid: Number(pid), start: Number(start) });
}

/** The owner's pid is valid only in this process's pid namespace: containers count their own. */
function sharesOurPids(pid: number): boolean {
  const own = pidNamespace('self');
  return own !== undefined && pidNamespace(pid) === own;
}

function identity({ pid, start }: ProcessRow): ProcessIdentity {
  return { pid, start };
}
