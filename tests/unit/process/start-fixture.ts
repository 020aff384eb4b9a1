import { spawnSync } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, vi } from 'vitest';
import { ownCgroup } from '../../../src/process/cgroup.js';
import { readRow } from '../../../src/process/read-proc.js';
import {
  type Line,
  type ProcessSpec,
  type RunningProcess,
  startProcess,
} from '../../../src/process/start-process.js';
import { compiledProgram } from '../../compile-programs.js';
import { patience } from '../../machine-speed.js';

/** The ways to know the processes of a child, from the surest to that of macOS; Linux can be made to go all of them. */
export type Way = 'cgroups' | 'marks' | 'ps';
export const ways: readonly Way[] = [
  ...(hasCgroups() ? (['cgroups'] as const) : []),
  ...(process.platform === 'linux' ? (['marks'] as const) : []),
  'ps',
];

function hasCgroups(): boolean {
  try {
    const probe = join(ownCgroup() ?? '/nowhere', `turnout-probe-${process.pid}`);
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    return false;
  }
}

/** Makes the tests of a suite, and the programs they start, go one way. */
export function goWay(way: Way): void {
  beforeEach(() => {
    vi.stubEnv('TURNOUT_PROCESSES', way === 'cgroups' ? undefined : way);
    // Not in afterEach: what a test ends when it is over is found the same way.
    onTestFinished(() => void vi.unstubAllEnvs());
  });
}

/** Starts a program of tests/fixtures/process; if it still runs after the test, it is ended. */
export async function startFixture(
  program: string,
  args: readonly string[] = [],
  spec: Partial<ProcessSpec> = {},
): Promise<RunningProcess> {
  const child = await startProcess({
    command: process.execPath,
    args: [fixturePath(program), ...args],
    env: process.env as Record<string, string>,
    ...spec,
  });
  onTestFinished(async () => void (await child.end({ graceMs: 0 })));
  return child;
}

export function fixturePath(program: string): string {
  const path = fileURLToPath(new URL(`../../fixtures/process/${program}`, import.meta.url));
  return path.endsWith('.ts') ? compiledProgram(path) : path;
}

export async function readAll(child: RunningProcess): Promise<Line[]> {
  const all: Line[] = [];
  for await (const lines of child.lines()) all.push(...lines);
  return all;
}

/** Returns the next lines, one by one, without closing the pipe after them. */
export function lineByLine(child: RunningProcess): () => Promise<string> {
  const batches = child.lines()[Symbol.asyncIterator]();
  const waiting: Line[] = [];
  return async () => {
    while (waiting.length === 0) {
      const { value, done } = await batches.next();
      if (done) throw new Error(`the output ended; stderr: ${child.stderr()}`);
      waiting.push(...value);
    }
    return waiting.shift()?.text ?? '';
  };
}

/** A zombie counts as gone: it only waits for its parent to reap it. */
export function isRunning(pid: number): boolean {
  expect(pid).toBeGreaterThan(1);
  if (process.platform === 'linux') return readRow(pid) !== undefined;
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

export function untilGone(pid: number): Promise<void> {
  return vi.waitFor(() => expect(isRunning(pid)).toBe(false), patience);
}
