import { childEnvironment } from '../backends/launch/child-environment.js';
import { TurnoutError } from '../core/errors.js';
import { describeExit, startProcess } from '../process/start-process.js';
import type { ProgramSettings } from './run-program.js';

export interface Verification {
  readonly passed: boolean;
  /** The end of what it printed, and how it ended if it failed. */
  readonly output: string;
}

export interface VerifyRun {
  readonly command: string;
  readonly cwd: string;
  readonly settings: ProgramSettings;
  /** Variables of the command line. */
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** A check that takes longer has failed. */
  readonly timeoutMs: number;
}

/** Runs the command that checks an agent's claim. It and all that it started end with it, or with the signal. */
export async function verify(run: VerifyRun): Promise<Verification> {
  try {
    return await runCheck(run);
  } catch (error) {
    // The agent may have removed the directory, or the signal came first.
    if (run.signal.aborted) return { passed: false, output: '(stopped)' };
    if (error instanceof TurnoutError) return { passed: false, output: `(${error.message})` };
    throw error;
  }
}

async function runCheck(run: VerifyRun): Promise<Verification> {
  const { command, cwd, settings, variables, signal, timeoutMs } = run;
  const timeUp = AbortSignal.timeout(timeoutMs);
  const running = await startProcess({
    command: '/bin/sh',
    args: ['-c', `exec 2>&1\n${command}`],
    cwd,
    env: childEnvironment(settings.env ?? process.env, variables),
    user: settings.user,
    signal: AbortSignal.any([signal, timeUp]),
    maxLineBytes: 64 * 1024,
  });
  let output = '';
  try {
    for await (const lines of running.lines()) {
      output = (output + lines.map((line) => `${line.text}\n`).join('')).slice(-mostOutput);
    }
    const exit = await running.exited;
    if (exit.code === 0 && !signal.aborted && !timeUp.aborted)
      return { passed: true, output: output.trimEnd() };
    const how = timeUp.aborted ? `ended after ${Math.round(timeoutMs / 1000)} s` : describeExit(exit);
    return { passed: false, output: `${output}(${how})` };
  } finally {
    await running.end();
  }
}

const mostOutput = 8000;
