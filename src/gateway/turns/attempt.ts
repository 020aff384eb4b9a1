import type { ErrorEvent, PermissionDecision, PermissionRequestEvent } from '../../core/chat-event.js';
import type { Failure, StoredEvent, ToolRecord } from '../../store/rows.js';
import type { TurnOutcome } from '../../store/store.js';
import type { RuntimeReport } from '../agent-runtime.js';
import { TurnRecorder } from '../archive/turn-recorder.js';
import { describeTools, toolOf } from './tools-begun.js';
import type { Settlement, TurnStop } from './verdicts.js';

/** R10: retries after the first attempt. */
export const maxRetries = 3;

/** What is known of a turn while it runs. */
export class Attempt {
  readonly recorder = new TurnRecorder();
  readonly #tools: ToolRecord[] = [];
  /** Questions that were not answered with yes, each with the tool that it is about, when that was announced before. */
  readonly #unallowed = new Map<string, ToolRecord | undefined>();
  sessionId: string | undefined;
  /** Why a hook has stopped it. */
  blocked: string | undefined;

  toolStarted(tool: ToolRecord): void {
    this.#tools.push(tool);
  }

  toolEnded(id: string, endedAt: number, isError: boolean): void {
    const index = this.#tools.findIndex((tool) => tool.id === id);
    const tool = this.#tools[index];
    if (tool === undefined) return;
    const ended = { ...tool, endedAt, isError };
    this.#tools[index] = ended;
    for (const [question, about] of this.#unallowed) if (about === tool) this.#unallowed.set(question, ended);
  }

  asked(request: PermissionRequestEvent): void {
    const open = this.begun.filter((tool) => tool.endedAt === undefined);
    this.#unallowed.set(request.id, toolOf(request, open));
  }

  answered(id: string, decision: PermissionDecision): void {
    if (decision !== 'deny') this.#unallowed.delete(id);
  }

  /** The tools that have done something, as far as it is known. */
  get begun(): readonly ToolRecord[] {
    const idle = new Set(this.#unallowed.values());
    return this.#tools.filter((tool) => !idle.has(tool));
  }
}

export interface AttemptEnd {
  readonly event: StoredEvent;
  readonly attempt: Attempt;
  readonly report: RuntimeReport;
  /** Why it was ended from outside. */
  readonly stop: TurnStop | undefined;
  readonly at: number;
  readonly retryDelayMs: number;
}

/** The answer, to be written as it is. */
export function answered(end: AttemptEnd, text: string, stopReason: string): Settlement {
  const backend = end.report.settings.backend;
  return finish(end, {
    state: 'answered',
    responseText: text,
    stopReason,
    messages: [{ role: 'assistant', text, backend }],
  });
}

/** A turn without an answer: what becomes of its message, and what its reader is told. */
export function unanswered(end: AttemptEnd, ending: ErrorEvent): Settlement {
  const { report, attempt, stop, event } = end;
  const error: Failure = { code: ending.code, message: report.result.error ?? ending.message };
  if (report.blocked !== undefined) return finish(end, { state: 'refused', error, ...say(error.message) });

  const { begun } = attempt;
  const told = begun.length === 0 ? '' : `\nTools that had begun:\n${describeTools(begun)}`;
  if (attempt.blocked !== undefined) return cancelled(end, `Stopped by a hook (${attempt.blocked})`, told);
  if (stop?.type === 'stopped') return cancelled(end, `Stopped by ${stop.by}`, told);
  if (stop?.type === 'drain') {
    const drained: Failure = {
      code: 'interrupted',
      message: 'The gateway was stopped before this was done.',
    };
    if (begun.length === 0) return postpone(end, drained, { delay: 0, free: true });
    return finish(end, {
      state: 'failed',
      error: drained,
      ...say(`${drained.message}${told}\nIt is not repeated by itself: send /retry to run it again.`),
    });
  }
  if (mayPass(ending) && begun.length === 0 && event.attempts <= maxRetries) {
    return postpone(end, error, { delay: end.retryDelayMs * 2 ** (event.attempts - 1), free: false });
  }
  const agent = report.settings.backend;
  const text = `${agent} could not answer (${error.code}): ${error.message}${told}\nSend /retry to try again.`;
  return finish(end, { state: 'failed', error, ...say(text) });
}

/** R10: a CLI that can't be started is one of them. It was there when the gateway began, and updates take it away for a moment. */
function mayPass(ending: ErrorEvent): boolean {
  return ending.retryable || ending.code === 'not_installed';
}

/** The gateway itself could not go on with it, and tools had begun. */
export function brokenOff(attempt: Attempt, error: unknown, at: number): Settlement {
  const why = error instanceof Error ? error.message : String(error);
  const message = `Something went wrong inside the gateway: ${why}`;
  const told = `Tools that had begun:\n${describeTools(attempt.begun)}`;
  const { usage, events } = attempt.recorder;
  const failure: Failure = { code: 'unknown', message };
  const said = say(`${message}\n${told}\nIt is not repeated by itself: send /retry to run it again.`);
  return { type: 'finish', outcome: { at, state: 'failed', error: failure, ...said, usage, events } };
}

function cancelled(end: AttemptEnd, message: string, told: string): Settlement {
  return finish(end, {
    state: 'cancelled',
    error: { code: 'interrupted', message },
    ...say(`${message}.${told}`),
  });
}

function say(text: string): Pick<TurnOutcome, 'messages'> {
  return { messages: [{ role: 'system', text }] };
}

function finish(
  end: AttemptEnd,
  outcome: Pick<TurnOutcome, 'state' | 'responseText' | 'error' | 'messages' | 'stopReason'>,
): Settlement {
  const { report, attempt, at } = end;
  const { settings, ending } = report;
  const sessionId = report.result.sessionId ?? attempt.sessionId;
  const resumable = ending.type === 'complete' || ending.code !== 'session_not_found';
  const session =
    sessionId !== undefined && resumable
      ? { backend: settings.backend, sessionId, cwd: settings.cwd }
      : undefined;
  return {
    type: 'finish',
    outcome: {
      ...outcome,
      at,
      session,
      forgetSession: session === undefined ? lostSession(report) : undefined,
      usage: attempt.recorder.usage,
      events: attempt.recorder.events,
    },
  };
}

function postpone(
  { at, attempt, report }: AttemptEnd,
  error: Failure,
  { delay, free }: { delay: number; free: boolean },
): Settlement {
  const { usage, events } = attempt.recorder;
  const forgetSession = lostSession(report);
  return {
    type: 'postpone',
    retry: { at, notBefore: at + delay, error, free, forgetSession, usage, events },
  };
}

function lostSession({ sessionLost, settings }: RuntimeReport): string | undefined {
  return sessionLost ? settings.backend : undefined;
}
