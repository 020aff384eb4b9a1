import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TurnoutError } from '../core/errors.js';
import { readProcTable, readProcTableNow, readRow } from './read-proc.js';

/** A process is identified by its pid and its start, because a pid may be given to another process later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: clock ticks since boot. Elsewhere: milliseconds since 1970, in steps of a second. */
  readonly start: number;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** The session, or the group where `ps` has no sessions (macOS prints a pointer). */
  readonly session: number;
}

export const hasProc: boolean = process.platform === 'linux';

/** Reads all living processes, without zombies. On Linux those older than `since` may be left out. */
export async function readProcessTable(since = 0): Promise<readonly ProcessRow[]> {
  const rows = hasProc ? await readProcTable(since) : await readPsTable().catch(() => []);
  // Without file descriptors, /proc or ps the table would be empty, as if all processes had ended.
  if (hasProc ? readRow(process.pid) !== undefined : rows.length > 0) return rows;
  throw new TurnoutError('crashed', 'The table of processes could not be read.', {
    hint: 'Is /proc mounted (elsewhere: ps installed), and are file descriptors left (ulimit -n)?',
  });
}

/** Reads the table synchronously, for moments that can't wait. Empty where there is no /proc. */
export function readProcessTableNow(since = 0): readonly ProcessRow[] {
  return hasProc ? readProcTableNow(since) : [];
}

export function isAlive({ pid, start }: ProcessIdentity): boolean {
  if (hasProc) return readRow(pid)?.start === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const execFileAsync = promisify(execFile);

export async function readPsTable(): Promise<readonly ProcessRow[]> {
  const { stdout } = await execFileAsync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, start] = psLine.exec(line) ?? [];
    if (state === undefined || start === undefined || state.startsWith('Z')) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        start: Date.parse(start),
      },
    ];
  });
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;
