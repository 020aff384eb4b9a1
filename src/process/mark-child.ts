import { randomUUID } from 'node:crypto';
import { readEnvironment, readRow } from './read-proc.js';

/**
 * Two variables in the environment of a child, which its descendants inherit: the owner that started it (to
 * find the processes of a dead owner), and the run it belongs to (to find processes that cut their ties by
 * forking twice).
 */
export interface Marker {
  readonly owner: string;
  readonly run: string;
}

export function createMarker(): Marker {
  return { owner: ownName(), run: randomUUID() };
}

/** Adds the marker. It replaces that of an outer Turnout, which may have started this one. */
export function markEnvironment(
  env: Readonly<Record<string, string>>,
  marker: Marker,
): Record<string, string> {
  return { ...env, [ownerVariable]: marker.owner, [runVariable]: marker.run };
}

export function isMarkedWith(pid: number, run: string): boolean {
  return readEnvironment(pid).includes(`${runVariable}=${run}`);
}

export function readMarker(pid: number): Marker | undefined {
  let owner: string | undefined;
  let run = '';
  for (const entry of readEnvironment(pid)) {
    if (entry.startsWith(`${ownerVariable}=`)) owner = entry.slice(ownerVariable.length + 1);
    if (entry.startsWith(`${runVariable}=`)) run = entry.slice(runVariable.length + 1);
  }
  return owner === undefined ? undefined : { owner, run };
}

/**
 * This process as `pid.start`. Without /proc the start is `unknown`: nobody looks for it there, and an owner
 * whose start is no number is never declared dead.
 */
export function ownName(): string {
  ownStart ??= readRow(process.pid)?.start;
  return `${process.pid}.${ownStart ?? 'unknown'}`;
}

let ownStart: number | undefined;
const ownerVariable = 'TURNOUT_OWNER';
const runVariable = 'TURNOUT_RUN';
