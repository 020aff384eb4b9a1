import { randomUUID } from 'node:crypto';
import { readEnvironment, readRow } from './read-proc.js';

/**
 * Two variables in the environment of a child and so of all that it starts: who started it (to find what a dead owner
 * left behind), and which run it belongs to (to find what has cut its ties to the child by forking twice).
 */
export interface Marker {
  readonly owner: string;
  readonly run: string;
}

export function createMarker(): Marker {
  return { owner: ownName(), run: randomUUID() };
}

/** Ours replace those of an outer Turnout, whose child we may be ourselves. */
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

/** `pid.start`. Where there is no /proc nobody looks for it, and a start that is no number is never declared dead. */
export function ownName(): string {
  ownStart ??= readRow(process.pid)?.start;
  return `${process.pid}.${ownStart ?? 'unknown'}`;
}

let ownStart: number | undefined;
const ownerVariable = 'TURNOUT_OWNER';
const runVariable = 'TURNOUT_RUN';
