import { createHash, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homeDirectory } from '../config/home-directory.js';
import { markInCgroup } from './cgroup-name.js';
import type { ProcessRow } from './process-table.js';
import { readCgroup, readCommandLine, readEnvironment, readRow } from './read-proc.js';
import { hasProc } from './system.js';

/**
 * Every child is marked, and its descendants inherit the mark: by two variables in the environment, and by the name of
 * its cgroup where it has one, which no process can shed.
 */
export interface Mark {
  /** The Turnout that started it, as `pid.start`: the processes of a dead owner are orphans. */
  readonly owner: string;
  /** Stands for the TURNOUT_HOME of the owner: its orphans are ended by its successor there, and by nobody else. */
  readonly home: string;
  /** The run it belongs to: it finds processes that cut their ties by forking twice. */
  readonly run: string;
}

export function createMark(env: Readonly<Record<string, string>>): Mark {
  return { owner: ownName(), home: homeMark(homeDirectory(env)), run: randomUUID() };
}

/** Stands for a home in a mark. A path may lead there through a link, and may be nobody else's business. */
export function homeMark(home: string): string {
  return createHash('sha256').update(realPath(home)).digest('hex').slice(0, 16);
}

/**
 * Adds the mark. It replaces that of an outer Turnout, which may have started this one. A process that may outlive its owner has only
 * the name of its run: no sweep takes it for an orphan.
 */
export function markEnvironment(
  env: Readonly<Record<string, string>>,
  { owner, home, run }: Mark,
  onHostExit: OnHostExit = 'end',
): Record<string, string> {
  const marked = { ...env, [runVariable]: run };
  return onHostExit === 'leave' ? marked : { ...marked, [ownerVariable]: `${owner}@${home}` };
}

/** What becomes of a child when this program ends in the middle of its work. */
export const hostExits = ['end', 'leave'] as const;
export type OnHostExit = (typeof hostExits)[number];

/** A process is just giving way to another program: Linux shows neither the old environment nor the new one. */
export type Unknown = 'unknown';

/**
 * Reads a process's mark. One without a home, as Turnout made them before it knew homes, is none: nobody can prove whose it
 * is.
 */
export function readMark(row: ProcessRow): Mark | 'none' | Unknown {
  const entries = entriesOf(row);
  const inCgroup = row.psText === undefined ? markInCgroup(readCgroup(row.pid)) : undefined;
  return inCgroup ?? (entries === 'unknown' ? entries : (markAmong(entries) ?? 'none'));
}

/** Looks for the mark of a run in the environment alone: the run itself knows who is in its cgroup. */
export function isMarkedWith(row: ProcessRow, run: string): boolean | Unknown {
  const entries = entriesOf(row);
  return entries === 'unknown' ? entries : entries.includes(`${runVariable}=${run}`);
}

/** The environment, as NAME=value; without /proc it is preceded by the words of the command. */
export function entriesOf(row: ProcessRow): readonly string[] | Unknown {
  if (row.psText !== undefined) return row.psText.split(' ');
  const entries = readEnvironment(row.pid);
  return entries.length === 0 && readCommandLine(row.pid) === '' ? 'unknown' : entries;
}

function markAmong(entries: readonly string[]): Mark | undefined {
  let owner: readonly string[] | null = null;
  let run = '';
  for (const entry of entries) {
    if (entry.startsWith(`${ownerVariable}=`)) owner = ownerValue.exec(entry.slice(ownerVariable.length + 1));
    if (entry.startsWith(`${runVariable}=`)) run = entry.slice(runVariable.length + 1);
  }
  const [, name, home] = owner ?? [];
  return name === undefined || home === undefined ? undefined : { owner: name, home, run };
}

/**
 * This process as `pid.start`. Without /proc the start is `t` and a time, which no process with /proc mistakes for
 * its own clock ticks.
 */
export function ownName(): string {
  if (!hasProc()) return `${process.pid}.t${Math.round(performance.timeOrigin)}`;
  ownStart ??= readRow(process.pid)?.start;
  return `${process.pid}.${ownStart ?? 'unknown'}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

let ownStart: number | undefined;
const ownerVariable = 'TURNOUT_OWNER';
const runVariable = 'TURNOUT_RUN';
const ownerValue = /^(\d+\.\w+)@([0-9a-f]+)$/;
