import { rm } from 'node:fs/promises';
import {
  type ChatEvent,
  type ErrorEvent,
  interruptedEvent,
  notice,
  type Retry,
  type StepEvent,
  timeoutMessage,
} from '../../core/chat-event.js';
import { failureEvent, isTimeout, TurnoutError } from '../../core/errors.js';
import { Aside, interleave } from '../../core/interleave.js';
import type { TurnLedger } from '../../core/turn-ledger.js';
import { type Deadline, setDeadline } from '../../core/wait.js';
import { killAtExit } from '../../process/kill-at-exit.js';
import type { OnHostExit } from '../../process/mark-child.js';
import type { ProcessUser } from '../../process/process-user.js';
import { type ProcessExit, type RunningProcess, startProcess } from '../../process/start-process.js';
import {
  removeScratchFiles,
  removeScratchFilesNow,
  scratchOutput,
  writeScratchFiles,
} from '../launch/scratch-files.js';
import type { Advice } from '../output/advice.js';
import { awaitedRetry, hopelessRetry, timedOut } from '../output/retries.js';
import type { TraceEntry } from '../types.js';
import type { LineDecoder, TurnFacts } from './decoder.js';
import type { Invocation } from './invocation.js';

/**
 * The time to exit, counted from the last line. Between its result and its exit a CLI takes 30 to 170 ms
 * (Gemini 1.3 s after a shell command, Codex 5 s when it can't deliver its analytics), but SessionEnd hooks
 * of Claude and Gemini may run for a minute, and OpenCode may compact the conversation, which shows nothing
 * before the model's first word.
 */
export const defaultExitGraceMs = 65_000;

/** If the turn's time is up and the CLI was silent for this long after its result, it counts as hanging. */
const hangsAfterMs = 1000;

/**
 * A CLI takes some 30 ms from its result to its exit. A look at the processes meanwhile makes the looks after the exit, which
 * have to be waited for, short: they know then who is older than the CLI. A CLI that exits at once is not looked at before.
 */
const lookAheadMs = 5;

export interface ProcessRun<S extends TurnFacts> {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly invocation: Invocation;
  readonly scratch: string;
  readonly user?: ProcessUser | undefined;
  readonly onHostExit?: OnHostExit | undefined;
  readonly timeoutMs: number;
  readonly exitGraceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The file is created for this run and left to the caller. */
  readonly stdoutFile?: string | undefined;
  /** The most bytes of output that may be in a file. */
  readonly maxOutputBytes?: number | undefined;
  readonly onAnswered?: ((answered: boolean) => void) | undefined;
  readonly decoder: LineDecoder<S>;
  readonly ledger: TurnLedger;
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
  readonly advice?: Advice | undefined;
  /** Returns the reader of stderr's lines, which may tell events while the turn runs. */
  stderrReader(tell: (event: StepEvent) => void): (line: string) => void;
  /** Returns the turn's last events, from the finished process. */
  conclude(exit: ProcessExit, stderr: string): readonly ChatEvent[];
}

/**
 * Runs one CLI process to its end and turns its lines into batches of events. However it ends (the end, a
 * time-out, an abort, a consumer that stops reading), no process and no file is left.
 */
export async function* runProcess<S extends TurnFacts>(
  run: ProcessRun<S>,
): AsyncGenerator<readonly ChatEvent[]> {
  const { decoder, ledger, invocation } = run;
  const stop = new StopClock(run.timeoutMs, run.signal);
  const needsScratch = invocation.files !== undefined || invocation.spool === true;
  let child: RunningProcess | undefined;
  let release = () => {};
  let givenUp: ErrorEvent | undefined;
  let retry: Retry | undefined;
  let stopped: Promise<ProcessExit> | undefined;
  let lookAhead: NodeJS.Timeout | undefined;
  try {
    if (stop.reason !== undefined) return yield ledger.fail(stoppedError(stop.reason));
    if (needsScratch) {
      if (run.onHostExit !== 'leave') release = killAtExit(() => removeScratchFilesNow(run.scratch));
      await writeScratchFiles(run.scratch, invocation.files ?? [], run.user);
    }
    const stdoutFile = run.stdoutFile ?? (invocation.spool ? scratchOutput(run.scratch) : undefined);
    if (run.stdoutFile !== undefined) await rm(run.stdoutFile, { force: true }).catch(() => undefined);
    const fromStderr = new Aside<StepEvent>();
    const readStderr = run.stderrReader((event) => fromStderr.push(event));
    const running = await (invocation.start ?? startProcess)({
      command: run.command,
      args: invocation.args,
      cwd: run.cwd,
      env: run.env,
      user: run.user,
      onHostExit: run.onHostExit,
      ...(invocation.stdin === undefined ? {} : { stdin: { text: invocation.stdin } }),
      ...(stdoutFile === undefined ? {} : { stdoutFile, maxFileBytes: run.maxOutputBytes }),
      onStderrLine: (line) => {
        run.trace?.({ type: 'stderr', line });
        readStderr(line);
      },
    });
    child = running;
    // One entry for all of it: a secret of several lines is found only as a whole.
    if (invocation.stdin !== undefined)
      run.trace?.({ type: 'line', direction: 'out', line: invocation.stdin, events: [] });
    stop.onStop(() => void running.end());
    void running.exited.then(() => stop.exited());
    for await (const { main: lines = [], aside = [] } of interleave(running.lines(), fromStderr)) {
      // Lines that the CLI prints because it is being ended are no part of the turn.
      if (stop.lingers) break;
      stop.awaitExit(undefined);
      const events: ChatEvent[] = aside.flatMap((event) => ledger.accept(event));
      for (const line of lines) {
        const before = events.length;
        for (const event of decoder.line(line.text)) events.push(...ledger.accept(event));
        run.trace?.({ type: 'line', direction: 'in', line: line.text, events: events.slice(before) });
        // What it has printed by then is read: a tool that had begun must be known.
        if (decoder.mustStop) stopped ??= running.end({ graceMs: 0 });
      }
      if (events.length > 0) yield events;
      retry = awaitedRetry(retry, events);
      givenUp ??= findHopeless(events, stop.timeLeftMs, run.advice);
      if (givenUp !== undefined) break;
      if (decoder.isOver && stopped === undefined) {
        stop.awaitExit(run.exitGraceMs);
        lookAhead ??= setTimeout(() => void running.isAlone(), lookAheadMs).unref();
      }
      run.onAnswered?.(decoder.state.ending !== undefined);
    }
    const exit = await (givenUp === undefined ? (stopped ?? running.exited) : running.end());
    clearTimeout(lookAhead);
    const traceExit = (events: readonly ChatEvent[]) => {
      run.trace?.({ type: 'exit', ...exit, stderr: running.stderr(), events });
      return events;
    };
    const last = decoder.end().flatMap((event) => ledger.accept(event));
    if (stop.reason !== undefined)
      return yield traceExit([...last, ...ledger.fail(stoppedError(stop.reason, retry))]);
    if (givenUp !== undefined) return yield traceExit([...last, ...ledger.fail(givenUp)]);
    await running.endLeftovers();
    const notices = stop.lingers ? ledger.accept(lingering) : [];
    const endedByUs = stop.lingers || stopped !== undefined;
    const concluded = run.conclude(endedByUs ? { code: 0, signal: null } : exit, running.stderr());
    yield traceExit([...last, ...notices, ...concluded]);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    const events = ledger.fail(failureEvent(error));
    const { code = null, signal = null } = (await child?.end()) ?? {};
    run.trace?.({ type: 'exit', code, signal, stderr: child?.stderr() ?? '', events });
    yield events;
  } finally {
    stop.clear();
    clearTimeout(lookAhead);
    await child?.end();
    if (needsScratch) await removeScratchFiles(run.scratch);
    release();
  }
}

/** The error of a turn whose CLI has told of a retry that is not worth waiting for. */
function findHopeless(
  events: readonly ChatEvent[],
  timeLeftMs: number | undefined,
  advice: Advice | undefined,
): ErrorEvent | undefined {
  // A retry is judged once, when it is told: later there is less time left, but less to wait for as well.
  const retry = awaitedRetry(undefined, events);
  return retry === undefined ? undefined : hopelessRetry(retry, timeLeftMs, advice);
}

type StopCause = 'timeout' | 'interrupted';

const lingering = notice('warning', 'The CLI had said its last word but did not exit: it was ended.');

function stoppedError(reason: StopCause, retry?: Retry) {
  return reason === 'timeout' ? timedOut(timeoutMessage, retry) : interruptedEvent;
}

/** Ends a turn from outside: its time is up, the caller aborts it, or the CLI does not exit at its end. */
class StopClock {
  reason: StopCause | undefined;
  /** True if the CLI has reported its result but did not exit. */
  lingers = false;
  readonly #endsAt: number | undefined;
  #timeLimit: Deadline | undefined;
  #exitLimit: Deadline | undefined;
  #overSince: number | undefined;
  #hasExited = false;
  #act: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () =>
    this.#signal && isTimeout(this.#signal) ? this.#timeIsUp() : this.#stop('interrupted');

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#signal = signal;
    if (signal?.aborted) this.reason = isTimeout(signal) ? 'timeout' : 'interrupted';
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (timeoutMs > 0) this.#timeLimit = setDeadline(timeoutMs, () => this.#timeIsUp());
    this.#endsAt = timeoutMs > 0 ? performance.now() + timeoutMs : undefined;
  }

  /** The turn's remaining time; `undefined` if it has no limit. */
  get timeLeftMs(): number | undefined {
    return this.#endsAt === undefined ? undefined : this.#endsAt - performance.now();
  }

  /** Gives the CLI `graceMs` from now on to exit; `undefined` cancels that. */
  awaitExit(graceMs: number | undefined): void {
    this.#exitLimit?.cancel();
    this.#overSince = graceMs === undefined ? undefined : performance.now();
    if (graceMs !== undefined) this.#exitLimit = setDeadline(graceMs, () => this.#linger());
  }

  onStop(act: () => void): void {
    this.#act = act;
    if (this.reason !== undefined) act();
  }

  exited(): void {
    this.#hasExited = true;
  }

  clear(): void {
    this.#timeLimit?.cancel();
    this.#exitLimit?.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #stop(reason: StopCause): void {
    if (!this.lingers) this.reason ??= reason;
    this.#act?.();
  }

  /** An answer that came in time is kept if the CLI hangs after it, or if our reader is slow. */
  #timeIsUp(): void {
    const hangs = this.#overSince !== undefined && performance.now() - this.#overSince >= hangsAfterMs;
    if (this.#hasExited) this.#act?.();
    else if (hangs) this.#linger();
    else this.#stop('timeout');
  }

  #linger(): void {
    this.lingers = this.reason === undefined;
    this.#act?.();
  }
}
