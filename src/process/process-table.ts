import { TurnoutError } from '../core/errors.js';
import { readCommandLine, readProcTable, readProcTableNow, readRow } from './read-proc.js';
import { readPsTable, readPsTableNow } from './read-ps.js';
import { hasProc } from './system.js';

/** A process is identified by its pid and its start, because a pid may be given to another process later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** With /proc: clock ticks since boot. Without: milliseconds since 1970, in steps of a second. */
  readonly start: number;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** The session, or the group where `ps` has no sessions (macOS prints a pointer). */
  readonly session: number;
  /** Without /proc: the command and the environment in one line, as far as `ps` may see them. */
  readonly psText?: string;
}

export function nameOf({ pid, start }: ProcessIdentity): string {
  return `${pid}.${start}`;
}

/** Reads all living processes, without zombies. With /proc those older than `since` may be left out. */
export async function readProcessTable(since = 0): Promise<readonly ProcessRow[]> {
  const rows = hasProc() ? await readProcTable(since) : await readPsTable().catch(() => []);
  // Without file descriptors, /proc or ps the table would be empty, as if all processes had ended.
  if (hasProc() ? readRow(process.pid) !== undefined : rows.length > 0) return rows;
  throw new TurnoutError('crashed', 'The table of processes could not be read.', {
    hint: 'Is /proc mounted (elsewhere: ps installed), and are file descriptors left (ulimit -n)?',
  });
}

/** Reads the table synchronously, for moments that can't wait. */
export function readProcessTableNow(since = 0): readonly ProcessRow[] {
  return hasProc() ? readProcTableNow(since) : readPsTableNow();
}

/** The command, for a person; without /proc the environment may follow it. */
export function commandOf({ pid, psText }: ProcessRow): string {
  return psText ?? readCommandLine(pid);
}

/** Without /proc only the pid is asked for: a later process with the same pid counts as the same. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  if (hasProc()) return readRow(pid)?.start === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
