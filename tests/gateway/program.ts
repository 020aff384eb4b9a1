import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { eventually } from './stage.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Run {
  readonly child: ChildProcess;
  out: string;
  err: string;
}

/** Starts `turnout gateway` as an operator does, in an environment built from nothing. The agents work in `root/work`. */
export function startProgram(
  root: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Run {
  const work = join(root, 'work');
  mkdirSync(work, { recursive: true });
  const usual = {
    PATH: '/usr/bin:/bin',
    HOME: root,
    WORKING_DIR: work,
    HTTP_PORT: '0',
    TURNOUT_DEMO_SPEED: '10',
  };
  const child = spawn(process.execPath, [program, 'gateway', ...args], {
    cwd: root,
    env: { ...usual, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = { child, out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    run.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    run.err += chunk;
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return run;
}

export async function exitCode({ child }: Run): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

export async function url(run: Run): Promise<string> {
  await eventually(() => run.out.includes('http://') || run.child.exitCode !== null);
  const found = /http:\/\/\S+/.exec(run.out)?.[0];
  if (found === undefined) throw new Error(`It did not start: ${run.err}`);
  return found;
}

export function directory(): string {
  const root = mkdtempSync(join(tmpdir(), 'turnout-start-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
