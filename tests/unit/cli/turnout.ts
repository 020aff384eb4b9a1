import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { VendorName } from '../../../src/backends/names.js';
import { readRecording, stdoutOf } from '../../contract/recordings.js';
import { type Program, programPath, type Stage } from '../../contract/stage.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The built `turnout`. */
export const program = `${root}dist/cli/main.js`;
/** An agent that costs nothing, for tests that are not about agents. */
export const demoAgent = `${root}dist/demo-agent/main.js`;

/** The place where a person starts `turnout`: a stage, or the home of a real CLI. */
export type Place = Pick<Stage, 'workingDir' | 'env'>;

/** Builds the program if its build is stale. */
export function buildOnce(): void {
  const { status } = spawnSync(process.execPath, ['scripts/ensure.mjs'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the build failed');
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  /** Variables over those of the place; `undefined` removes one. */
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  /**
   * The text for stdin's pipe, which is then closed, unless `keepStdinOpen` is set. Without a text stdin is
   * /dev/null.
   */
  readonly stdin?: string;
  readonly keepStdinOpen?: true;
}

/** Starts `turnout` as a person does. */
export function startTurnout(place: Place, args: readonly string[], start: Start = {}): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: start.cwd ?? place.workingDir,
    env: { ...place.env, ...start.env },
    stdio: [start.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (start.keepStdinOpen) child.stdin?.write(start.stdin ?? '');
  else child.stdin?.end(start.stdin);
  return child;
}

export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

export function turnout(place: Place, args: readonly string[], start: Start = {}): Promise<Finished> {
  return finished(startTurnout(place, args, start));
}

/** Returns the environment in which a backend's CLI is a fixture program that prints a recording. */
export function playing(stage: Stage, backend: VendorName, scenario: string, program: Program = 'replay.sh') {
  const recording = readRecording(backend, scenario);
  const { stderr, exit } = recording;
  return {
    AGENT_BACKEND: backend,
    BACKEND_CLI_PATH: programPath(program),
    RECEIVE_INTO: stage.path('received'),
    ...stage.replay(stdoutOf(recording), { stderr, exit: exit.code ?? 0 }),
  };
}

export async function appearance(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}
