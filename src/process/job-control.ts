import { spawnSync } from 'node:child_process';
import { readProcessTableNow } from './process-table.js';
import { readJob } from './read-proc.js';
import { hasProc } from './system.js';

/** True if a signal has stopped the process, as Ctrl-Z does. */
export function isStopped(pid: number): boolean {
  const state = hasProc() ? readJob(pid)?.state : psField(pid, 'stat=');
  return /^[Tt]/.test(state ?? '');
}

/** True if our process group has the terminal. A group in the background that changes its modes is stopped. */
export function inForeground(): boolean {
  if (!hasProc()) return psField(process.pid, 'stat=').includes('+');
  const group = readProcessTableNow().find(({ pid }) => pid === process.pid)?.group;
  return group !== undefined && readJob(process.pid)?.foreground === group;
}

/**
 * True if a shell could continue our process group after a stop: one of the group has a parent in the same session, but in
 * another group. Without such a parent, nobody would ever continue it.
 */
export function hasJobControl(): boolean {
  const table = new Map(readProcessTableNow().map((row) => [row.pid, row]));
  const own = table.get(process.pid);
  if (own === undefined) return false;
  return [...table.values()].some(({ group, parent }) => {
    const above = group === own.group ? table.get(parent) : undefined;
    if (above === undefined || above.group === own.group) return false;
    // macOS's ps shows no sessions.
    return !hasProc() || above.session === own.session;
  });
}

/** The process and what it has started in our own process group: neither the tools nor the servers that left it. */
export function groupBelow(pid: number): readonly number[] {
  const table = readProcessTableNow();
  const group = table.find((row) => row.pid === process.pid)?.group;
  const found = [pid];
  for (const above of found) {
    for (const row of table) {
      if (row.parent === above && row.group === group && !found.includes(row.pid)) found.push(row.pid);
    }
  }
  return found;
}

function psField(pid: number, field: string): string {
  const { stdout } = spawnSync('/bin/ps', ['-o', field, '-p', String(pid)], { encoding: 'utf8' });
  return (stdout ?? '').trim();
}
