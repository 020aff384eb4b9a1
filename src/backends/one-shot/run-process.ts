import { rm } from 'node:fs/promises';
import {
  type ChatEvent,
  errorEvent,
  interruptedEvent,
  notice,
  type StepEvent,
} from '../../core/chat-event.js';
import { failureEvent, TurnoutError } from '../../core/errors.js';
import { Aside, interleave } from '../../core/interleave.js';
import type { TurnLedger } from '../../core/turn-ledger.js';
import { type Deadline, setDeadline } from '../../core/wait.js';
import { killAtExit } from '../../process/kill-at-exit.js';
import type { ProcessUser } from '../../process/process-user.js';
import { type ProcessExit, type RunningProcess, startProcess } from '../../process/start-process.js';
import {
  removeScratchFiles,
  removeScratchFilesNow,
  scratchOutput,
  writeScratchFiles,
} from '../launch/scratch-files.js';
import type { TraceEntry } from '../types.js';
import type { LineDecoder, TurnFacts } from './decoder.js';
import type { Invocation } from './invocation.js';

export const timeoutMessage = 'Query timed out';

/**
 * The time to exit, counted from the last line. Between its result and its exit a CLI takes 30 to 170 ms
 * (Gemini 1.3 s after a shell command, Codex 5 s when it can't deliver its analytics), but SessionEnd hooks
 * of Claude and Gemini may run for a minute, and OpenCode may compact the conversation, which shows nothing
 * before the model's first word.
 */
export const defaultExitGraceMs = 65_000;

/** If the turn's time is up and the CLI was silent for this long after its result, it counts as hanging. */
const hangsAfterMs = 1000;

export interface ProcessRun<S extends TurnFacts> {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly invocation: Invocation;
  readonly scratch: string;
  readonly user?: ProcessUser | undefined;
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
  /** Returns a notice for a line of stderr while the turn runs, if it has one. */
  noticeStderr(line: string): StepEvent | undefined;
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
  try {
    if (stop.reason !== undefined) return yield ledger.fail(stoppedError(stop.reason));
    if (needsScratch) {
      release = killAtExit(() => removeScratchFilesNow(run.scratch));
      await writeScratchFiles(run.scratch, invocation.files ?? [], run.user);
    }
    const stdoutFile = run.stdoutFile ?? (invocation.spool ? scratchOutput(run.scratch) : undefined);
    if (run.stdoutFile !== undefined) await rm(run.stdoutFile, { force: true }).catch(() => undefined);
    const fromStderr = new Aside<StepEvent>();
    const running = await startProcess({
      command: run.command,
      args: invocation.args,
      cwd: run.cwd,
      env: run.env,
      user: run.user,
      ...(invocation.stdin === undefined ? {} : { stdin: { text: invocation.stdin } }),
      ...(stdoutFile === undefined ? {} : { stdoutFile, maxFileBytes: run.maxOutputBytes }),
      onStderrLine: (line) => {
        const event = run.noticeStderr(line);
        if (event !== undefined) fromStderr.push(event);
      },
    });
    child = running;
    if (run.trace !== undefined) traceInput(invocation.stdin, run.trace);
    stop.onStop(() => void running.end());
    for await (const { main: lines = [], aside = [] } of interleave(running.lines(), fromStderr)) {
      // Lines that the CLI prints because it is being ended are no part of the turn.
      if (stop.lingers) break;
      stop.awaitExit(undefined);
      const events: ChatEvent[] = aside.flatMap((event) => ledger.accept(event));
      for (const line of lines) {
        const before = events.length;
        for (const event of decoder.line(line.text)) events.push(...ledger.accept(event));
        run.trace?.({ type: 'line', direction: 'in', line: line.text, events: events.slice(before) });
        if (mustStop(decoder)) break;
      }
      if (events.length > 0) yield events;
      if (mustStop(decoder)) break;
      if (decoder.isOver) stop.awaitExit(run.exitGraceMs);
      run.onAnswered?.(decoder.state.ending !== undefined);
    }
    const exit = mustStop(decoder) ? await running.end() : await running.exited;
    run.trace?.({ type: 'exit', ...exit, stderr: running.stderr() });
    const last = decoder.end().flatMap((event) => ledger.accept(event));
    if (stop.reason !== undefined) return yield [...last, ...ledger.fail(stoppedError(stop.reason))];
    await running.endLeftovers();
    const notices = stop.lingers ? ledger.accept(lingering) : [];
    const endedByUs = stop.lingers || mustStop(decoder);
    yield [
      ...last,
      ...notices,
      ...run.conclude(endedByUs ? { code: 0, signal: null } : exit, running.stderr()),
    ];
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    yield ledger.fail(failureEvent(error));
  } finally {
    stop.clear();
    await child?.end();
    if (needsScratch) await removeScratchFiles(run.scratch);
    release();
  }
}

function traceInput(stdin: string | undefined, trace: (entry: TraceEntry) => void): void {
  for (const line of stdin?.split('\n') ?? []) trace({ type: 'line', direction: 'out', line, events: [] });
}

function mustStop(decoder: LineDecoder<TurnFacts>): boolean {
  const ending = decoder.state.ending;
  return ending?.type === 'failed' && ending.stop === true;
}

type StopCause = 'timeout' | 'interrupted';

const lingering = notice('warning', 'The CLI had said its last word but did not exit: it was ended.');

function stoppedError(reason: StopCause) {
  return reason === 'timeout' ? errorEvent('timeout', timeoutMessage) : interruptedEvent;
}

/** Ends a turn from outside: its time is up, the caller aborts it, or the CLI does not exit at its end. */
class StopClock {
  reason: StopCause | undefined;
  /** True if the CLI has reported its result but did not exit. */
  lingers = false;
  #timeLimit: Deadline | undefined;
  #exitLimit: Deadline | undefined;
  #overSince: number | undefined;
  #act: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.#stop('interrupted');

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#signal = signal;
    if (signal?.aborted) this.reason = 'interrupted';
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (timeoutMs > 0) this.#timeLimit = setDeadline(timeoutMs, () => this.#timeIsUp());
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

  clear(): void {
    this.#timeLimit?.cancel();
    this.#exitLimit?.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #stop(reason: StopCause): void {
    if (!this.lingers) this.reason ??= reason;
    this.#act?.();
  }

  /** An answer that came in time is kept if the CLI hangs after it. */
  #timeIsUp(): void {
    if (this.#overSince !== undefined && performance.now() - this.#overSince >= hangsAfterMs) this.#linger();
    else this.#stop('timeout');
  }

  #linger(): void {
    this.lingers = this.reason === undefined;
    this.#act?.();
  }
}
