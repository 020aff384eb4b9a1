import { childEnvironment } from '../backends/launch/child-environment.js';
import { describeExit, startProcess } from '../process/start-process.js';

export interface Verification {
  readonly passed: boolean;
  /** The end of what it printed, and how it ended if it failed. */
  readonly output: string;
}

export interface VerifyRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Runs the command that checks an agent's claim. It and all that it started end with it, or with the signal. */
export async function verify({ command, cwd, env, signal }: VerifyRun): Promise<Verification> {
  const running = await startProcess({
    command: '/bin/sh',
    args: ['-c', `exec 2>&1\n${command}`],
    cwd,
    env: childEnvironment(env),
    signal,
    maxLineBytes: 64 * 1024,
  });
  let output = '';
  try {
    for await (const lines of running.lines()) {
      output = (output + lines.map((line) => `${line.text}\n`).join('')).slice(-mostOutput);
    }
    const exit = await running.exited;
    const passed = exit.code === 0 && !signal.aborted;
    return { passed, output: passed ? output.trimEnd() : `${output}(${describeExit(exit)})` };
  } finally {
    await running.end();
  }
}

const mostOutput = 8000;
