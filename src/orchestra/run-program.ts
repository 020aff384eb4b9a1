import { childEnvironment } from '../backends/launch/child-environment.js';
import { classifyFailure } from '../backends/output/classify-failure.js';
import { type ChatEvent, errorEvent, interruptedEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
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
  readonly signal: AbortSignal;
  /** The program is given up after so much silence. */
  readonly silenceMs: number;
}

/** O11: runs an executable that is an agent. What it prints is what the agent says. */
export async function* runProgram(run: ProgramRun): AsyncGenerator<ChatEvent> {
  const silence = new AbortController();
  let clock = setTimeout(() => silence.abort(), run.silenceMs);
  let said = '';
  try {
    const running = await startProcess({
      command: run.program.path,
      args: run.args,
      cwd: run.cwd,
      env: childEnvironment(run.settings.env ?? process.env),
      user: run.settings.user,
      signal: AbortSignal.any([run.signal, silence.signal]),
      maxLineBytes: 1024 ** 2,
    });
    try {
      for await (const lines of running.lines()) {
        clearTimeout(clock);
        clock = setTimeout(() => silence.abort(), run.silenceMs);
        const text = lines.map((line) => `${line.text}\n`).join('');
        said = (said + text).slice(-mostKept);
        yield { type: 'text', text };
      }
      const exit = await running.exited;
      await running.endLeftovers();
      if (run.signal.aborted) yield interruptedEvent;
      else if (silence.signal.aborted) yield timedOut(run);
      else if (exit.code === 0) yield { type: 'complete', text: said, sessionId: '', stopReason: 'end_turn' };
      else {
        const why = running.stderr().trim() || said.trim() || 'it gave no reason';
        const words = `${run.program.path} failed (${describeExit(exit)}): ${why.slice(-mostReason)}`;
        yield errorEvent(codeOf(exit.code, why), words);
      }
    } finally {
      await running.end();
    }
  } catch (error) {
    if (run.signal.aborted) yield interruptedEvent;
    else if (error instanceof TurnoutError) yield errorEvent(error.code, error.explanation);
    else throw error;
  } finally {
    clearTimeout(clock);
  }
}

const mostKept = 1024 ** 2;
const mostReason = 2000;

function timedOut({ program, silenceMs }: ProgramRun): ChatEvent {
  return errorEvent(
    'timeout',
    `${program.path} has printed nothing for ${Math.round(silenceMs / 60_000)} min.`,
  );
}

/** An agent that is a Turnout itself tells the kind of its failure by its exit code. */
function codeOf(exit: number | null, why: string) {
  if (exit === 3) return 'not_installed';
  if (exit === 4) return 'unsupported';
  if (exit === 124) return 'timeout';
  const code = classifyFailure(why);
  return code === 'unknown' ? 'crashed' : code;
}
