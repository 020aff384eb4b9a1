import { readlinkSync } from 'node:fs';
import { endFamily, sendTo } from '../../../process/end-family.js';
import { closeOver } from '../../../process/find-family.js';
import { isAlive, type ProcessRow, readProcessTable } from '../../../process/process-table.js';
import { readCommandLine } from '../../../process/read-proc.js';
import { hasProc } from '../../../process/system.js';

export interface RunningShell {
  readonly command: string;
  readonly directory: string;
}

/**
 * The processes of shell commands that the server runs, to be ended after an abort: OpenCode 1.18.33 sends SIGTERM to the
 * command's group and waits three seconds before it kills it, and it never finds processes that left the group.
 * A command that runs twice in the same directory can't be told apart, and is left to OpenCode.
 */
export async function findShells(
  server: number,
  shells: readonly RunningShell[],
): Promise<readonly ProcessRow[]> {
  if (!hasProc() || shells.length === 0) return [];
  const table = await readProcessTable();
  const children = table.filter(({ parent }) => parent === server);
  const roots = shells.flatMap((shell) => {
    const found = children.filter(({ pid }) => runs(pid, shell));
    return found.length === 1 ? found : [];
  });
  const pids = new Set(roots.map(({ pid }) => pid));
  return closeOver(table, ({ pid }) => pids.has(pid), { sessions: true });
}

/** Ends those of the processes that still live. */
export async function endShells(found: readonly ProcessRow[], graceMs = 300): Promise<void> {
  const deadline = performance.now() + graceMs;
  await endFamily({
    look: async () => ({ found: found.filter(isAlive) }),
    send: (family, signal) =>
      sendTo(
        family.map(({ pid }) => pid),
        signal,
      ),
    deadline: () => deadline,
    isCertain: () => true,
  });
}

function runs(pid: number, { command, directory }: RunningShell): boolean {
  // Both are read as Latin-1, and the arguments are joined with spaces.
  const wanted = Buffer.from(command).toString('latin1').trim();
  if (wanted === '' || !readCommandLine(pid).endsWith(` ${wanted}`)) return false;
  try {
    // Another session may run the same command: where it runs tells whose it is.
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${directory}/`);
  } catch {
    return false;
  }
}
