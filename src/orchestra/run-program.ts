import { childEnvironment } from '../backends/launch/child-environment.js';
import { classifyFailure } from '../backends/output/classify-failure.js';
import { type ChatEvent, errorEvent } from '../core/chat-event.js';
import { abortEvent, TurnoutError } from '../core/errors.js';
import type { ProcessUser } from '../process/process-user.js';
import { describeExit, startProcess } from '../process/start-process.js';
import type { ProgramStep } from './types.js';

/** The environment and the user of programs and checks: those of the CLIs. */
export interface ProgramSettings {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly user?: ProcessUser | undefined;
}

export interface ProgramRun {
  readonly program: ProgramStep;
  /** With everything filled in. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly settings: ProgramSettings;
  /** The line that the program is to print when it is done. */
  readonly marker: string;
  readonly signal: AbortSignal;
}

/** O11: runs an executable that is an agent. What it prints is what the agent says. */
export async function* runProgram(run: ProgramRun): AsyncGenerator<ChatEvent> {
  const { program, args, cwd, settings, marker, signal } = run;
  let said = '';
  try {
    const running = await startProcess({
      command: program.path,
      args,
      cwd,
      env: childEnvironment(settings.env ?? process.env, { [markerVariable]: marker }),
      user: settings.user,
      signal,
      maxLineBytes: 1024 ** 2,
    });
    try {
      for await (const lines of running.lines()) {
        const text = lines.map((line) => `${line.text}\n`).join('');
        said = (said + text).slice(-mostKept);
        yield { type: 'text', text };
      }
      const exit = await running.exited;
      await running.endLeftovers();
      if (signal.aborted) yield abortEvent(signal);
      else if (exit.code === 0) yield { type: 'complete', text: said, sessionId: '', stopReason: 'end_turn' };
      else {
        const why = running.stderr().trim() || said.trim() || 'it gave no reason';
        const words = `${program.path} failed (${describeExit(exit)}): ${why.slice(-mostReason)}`;
        const code = classifyFailure(why);
        yield errorEvent(code === 'unknown' ? 'crashed' : code, words);
      }
    } finally {
      await running.end();
    }
  } catch (error) {
    if (signal.aborted) yield abortEvent(signal);
    else if (error instanceof TurnoutError) yield errorEvent(error.code, error.explanation);
    else throw error;
  }
}

/** The variable that tells a program which line says that it is done: in a run with a nonce it can't know it otherwise. */
export const markerVariable = 'TURNOUT_MARKER';

const mostKept = 128 * 1024;
const mostReason = 2000;
