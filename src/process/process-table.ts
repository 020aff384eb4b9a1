import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { TurnoutError } from '../core/errors.js';

/** A process is known by its pid and its start: a pid alone may by now belong to somebody else. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: clock ticks since boot. Elsewhere: milliseconds since 1970, in steps of a second. */
  readonly start: number;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** Where `ps` has no sessions (macOS prints a pointer), the group stands in. */
  readonly session: number;
}

export const hasProc: boolean = process.platform === 'linux';

/** All living processes; zombies are not. */
export async function readProcessTable(): Promise<readonly ProcessRow[]> {
  const rows = hasProc ? await readProcTable() : await readPsTable().catch(() => []);
  // Without descriptors, /proc or ps the table would be empty and say that all is over.
  if (rows.some(({ pid }) => pid === process.pid)) return rows;
  throw new TurnoutError('crashed', 'The table of processes could not be read.', {
    hint: 'Is /proc mounted (elsewhere: ps installed), and are file descriptors left (ulimit -n)?',
  });
}

/** What can be read of it in one go, for moments that can't wait. Empty where there is no /proc. */
export function readProcessTableNow(): readonly ProcessRow[] {
  return hasProc ? readRows(listPids()) : [];
}

export function isAlive({ pid, start }: ProcessIdentity): boolean {
  if (hasProc) return readRow(pid)?.start === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function readRow(pid: number): ProcessRow | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(pid, stat);
}

/**
 * The environment that a process was started with, as NAME=value. Linux only, and only for processes that we may
 * look into; a program that writes its title over its environment has none.
 */
export function readEnvironment(pid: number): readonly string[] {
  return hasProc ? (readProcFile(`/proc/${pid}/environ`)?.split('\0') ?? []) : [];
}

export function readCommandLine(pid: number): string {
  return (readProcFile(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

/** Tells apart containers that one /proc shows side by side: each counts its pids anew. */
export function pidNamespace(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
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

async function readProcTable(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const pids = listPids();
  for (let from = 0; from < pids.length; from += pidsPerTurn) {
    if (from > 0) await nextTurn();
    rows.push(...readRows(pids.slice(from, from + pidsPerTurn)));
  }
  return rows;
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readRows(pids: readonly number[]): ProcessRow[] {
  return pids.flatMap((pid) => readRow(pid) ?? []);
}

/** `pid (name) state ppid pgrp session … starttime`, where the name may hold spaces and brackets. */
function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', startField + 1);
  const [state, parent, group, session] = fields;
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(fields[startField]),
  };
}

/** Field 22 of proc(5), counted from the state, which is field 3. */
const startField = 19;
const pidsPerTurn = 256;
const readSize = 64 * 1024;
let readBuffer: Buffer | undefined;

/** One buffer for all reads: twice as fast as readFileSync, and a table is hundreds of files. */
function readProcFile(path: string): string | undefined {
  readBuffer ??= Buffer.allocUnsafeSlow(readSize);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    let text = '';
    for (;;) {
      const count = readSync(file, readBuffer, 0, readSize, null);
      text += readBuffer.toString('latin1', 0, count);
      if (count < readSize) return text;
    }
  } catch {
    // Processes vanish while we read, and some are not ours to look into.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
