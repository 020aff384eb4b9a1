import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProcessRow } from './process-table.js';

/** Reads the living processes from Linux's /proc, a few hundred of them in one turn of the event loop. */
export async function readProcTable(since: number): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const pids = listPids();
  for (let from = 0; from < pids.length; from += pidsPerTurn) {
    if (from > 0) await nextTurn();
    rows.push(...readRows(pids.slice(from, from + pidsPerTurn), since));
  }
  forgetAllBut(pids);
  return rows;
}

export function readProcTableNow(since: number): readonly ProcessRow[] {
  return readRows(listPids(), since);
}

export function readRow(pid: number): ProcessRow | undefined {
  const fields = readStat(pid);
  return fields === undefined ? undefined : asRow(pid, fields);
}

/**
 * The environment that a process was started with, as NAME=value. It can be read on Linux only, and only for
 * processes that the system lets us read; a program that writes its title over its environment has none.
 */
export function readEnvironment(pid: number): readonly string[] {
  const text = readProcFile(`/proc/${pid}/environ`) ?? '';
  return text === '' ? [] : text.split('\0');
}

export function readCommandLine(pid: number): string {
  return (readProcFile(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

/** The facts of job control: a state that begins with T or t is stopped, and the terminal's foreground group is -1 without one. */
export function readJob(pid: number): { readonly state: string; readonly foreground: number } | undefined {
  const fields = readStat(pid);
  return fields && { state: fields[0] ?? '', foreground: Number(fields[foregroundField]) };
}

/** The path of a process's cgroup, below a hierarchy of its namespace. */
export function readCgroup(pid: number | 'self'): string {
  return /^0::(.*)$/m.exec(readProcFile(`/proc/${pid}/cgroup`) ?? '')?.[1] ?? '';
}

/** Distinguishes containers that one /proc shows side by side: each counts its own pids. */
export function pidNamespace(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readRows(pids: readonly number[], since: number): ProcessRow[] {
  const now = performance.now();
  return pids.flatMap((pid) => (wasBornBefore(since, pid, now) ? [] : (readLiving(pid, now) ?? [])));
}

function readLiving(pid: number, now: number): ProcessRow | undefined {
  const fields = readStat(pid);
  if (fields === undefined) return undefined;
  births.set(pid, { ...births.get(pid), start: Number(fields[startField]), seenAt: now });
  return asRow(pid, fields);
}

/**
 * Most of the table is older than the child in question, turn after turn. A process keeps the inode of its
 * /proc entry, which a later one with the same pid can't have; reading the inode costs a third of reading the
 * entry. For a moment not even that is needed: a pid comes again only when all others have been given.
 */
function wasBornBefore(since: number, pid: number, now: number): boolean {
  if (since === 0) return false;
  const known = births.get(pid);
  if (known !== undefined && now - known.seenAt < momentMs) return known.start < since;
  const inode = inodeOf(pid);
  if (inode !== undefined && known?.inode === inode) {
    births.set(pid, { ...known, seenAt: now });
    return known.start < since;
  }
  const fields = readStat(pid);
  if (inode === undefined || fields === undefined) return false;
  const start = Number(fields[startField]);
  births.set(pid, { inode, start, seenAt: now });
  return start < since;
}

function inodeOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

interface Birth {
  readonly inode?: number;
  readonly start: number;
  /** When it was known to be the process of this start. */
  readonly seenAt: number;
}

const births = new Map<number, Birth>();
/** Even a machine that does nothing but start processes takes longer to give each of 32,768 pids once. */
const momentMs = 100;

function forgetAllBut(pids: readonly number[]): void {
  const living = new Set(pids);
  for (const pid of births.keys()) if (!living.has(pid)) births.delete(pid);
}

/** The fields of `pid (name) state ppid pgrp session … starttime` from the state on: the name may hold spaces and brackets. */
function readStat(pid: number): readonly string[] | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ', startField + 1);
}

/** A process that has ended or belongs to the kernel is none. */
function asRow(pid: number, fields: readonly string[]): ProcessRow | undefined {
  const [state, parent, group, session] = fields;
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  if ((Number(fields[flagsField]) & kernelThread) !== 0) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(fields[startField]),
  };
}

/** Fields 22, 8 and 9 of proc(5), counted from the state, which is field 3. */
const startField = 19;
const foregroundField = 5;
const flagsField = 6;
/** PF_KTHREAD: a thread of the kernel is nobody's child, and has no environment. */
const kernelThread = 0x00200000;
const pidsPerTurn = 256;
const readSize = 64 * 1024;
let readBuffer: Buffer | undefined;

/** All reads share one buffer: a table is hundreds of files, and readFileSync takes half as long again. */
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
    // The process has ended meanwhile, or belongs to another user.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
