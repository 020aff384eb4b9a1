import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../core/chat-event.js';
import { longestTimerMs } from '../core/wait.js';
import { markerLine } from '../runner/marker.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptedRemark, verifyRemark } from './instructions.js';
import type { IterationError, Journal, SettledIteration } from './journal.js';
import type { ConfigFor } from './resolve-agent.js';
import { isWorthAnother, waitBefore } from './retries.js';
import { StepAgent } from './run-agent.js';
import { followIteration } from './run-iteration.js';
import { type ProgramSettings, runProgram } from './run-program.js';
import { runsIn, type StepState } from './run-state.js';
import { nameOf } from './runs.js';
import { Spending } from './spending.js';
import type { ChainEvent, ResolvedStep, StepReason, StepReport, StepStatus } from './types.js';
import { fill, type Values } from './variables.js';
import { type Verification, verify } from './verify.js';
import { currentCommit, fingerprint } from './work-tree.js';

/** All that a step needs of the run around it. */
export interface StepRun {
  readonly step: ResolvedStep;
  /** What the journal says of earlier processes. */
  readonly before: StepState;
  readonly cwd: string;
  readonly nonce: string | undefined;
  readonly values: Values;
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly configFor: ConfigFor;
  readonly programs: ProgramSettings;
  readonly chainSpending: Spending;
  readonly signal: AbortSignal;
  readonly tell: Tell;
  readonly times: StepTimes;
}

export type Tell = (event: ChainEvent) => void | Promise<void>;

/** The waits of a step; tests have shorter ones. */
export interface StepTimes {
  readonly markerGraceMs: number;
  /** A run that tells nothing for so long is given up, unless the step says otherwise. */
  readonly silenceMs: number;
  readonly verifyMs: number;
  readonly firstRetryMs: number;
}

export const defaultTimes: StepTimes = {
  markerGraceMs: 60_000,
  silenceMs: 30 * 60_000,
  verifyMs: 30 * 60_000,
  firstRetryMs: 5000,
};

interface Ending {
  readonly status: StepStatus;
  readonly reason: StepReason;
  readonly verified?: boolean;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** Runs a step to its end: once, or until the marker, a limit or a failure. Every run is journalled before and after. */
export async function runStep(run: StepRun): Promise<StepReport> {
  const loop = new StepLoop(run);
  try {
    return loop.report(await loop.run());
  } finally {
    await loop.close();
  }
}

class StepLoop {
  readonly #run: StepRun;
  readonly #agent: StepAgent | undefined;
  readonly #spending: Spending;
  readonly #settled: SettledIteration[];
  /** What the next run is told in addition to its prompt. */
  #remarks: string[] = [];
  #warnedOfTree = false;
  #sessionId: string | undefined;

  constructor(run: StepRun) {
    this.#run = run;
    const { step, before } = run;
    this.#settled = [...before.settled];
    this.#spending = new Spending(step.budget, before.spent, before.beforeBudget);
    if (step.run.type === 'agent') {
      const sessionId = before.brokenOff?.sessionId ?? before.sessionId;
      this.#agent = new StepAgent(step, step.run, run, sessionId);
    }
    this.#sessionId = before.sessionId;
    // An attempt that failed in an earlier process had been told something that the next one needs, too.
    if (before.remarks?.iteration === this.#goodRuns() + 1) this.#remarks.push(...before.remarks.list);
    if (before.brokenOff !== undefined) this.#remarks.push(interruptedRemark);
  }

  async run(): Promise<Ending> {
    const { step, before } = this.#run;
    const last = this.#settled.at(-1);
    // An earlier process may have ended between a run and the judgement on it.
    if (last?.stopped?.by === 'budget') return this.#overBudget(last.stopped.limit);
    if (last !== undefined && last.error === undefined) {
      const verdict = before.verified?.iteration === last.iteration ? before.verified : undefined;
      const ending = await this.#judge(last, verdict);
      if (ending !== undefined) return ending;
    }
    for (let iteration = this.#goodRuns() + 1; iteration <= step.iterations; iteration++) {
      const settled = await this.#iterate(iteration);
      if ('status' in settled) return settled;
      const ending = await this.#judge(settled);
      if (ending !== undefined) return ending;
    }
    return this.#outOfRuns();
  }

  report({ status, reason, verified, error }: Ending): StepReport {
    const { step, before } = this.#run;
    const last = this.#settled.findLast((one) => one.error === undefined) ?? this.#settled.at(-1);
    const sessionId = this.#sessionId;
    const usage = this.#spending.usage;
    return {
      ...nameOf(step),
      agent: step.agent,
      backend: step.run.type === 'agent' ? step.run.backend : step.agent,
      status,
      iterations: before.earlierRuns + runsIn(this.#settled),
      reason,
      output: last?.output ?? '',
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(usage === undefined ? {} : { usage }),
      ...(error === undefined ? {} : { error }),
      ...(verified === undefined ? {} : { verified }),
    };
  }

  async close(): Promise<void> {
    await this.#agent?.close();
  }

  #goodRuns(): number {
    return this.#settled.filter(({ error, stopped }) => error === undefined && stopped === undefined).length;
  }

  /** Runs the agent once, and again after a failure that is worth it. */
  async #iterate(iteration: number): Promise<SettledIteration | Ending> {
    const { signal, chainSpending } = this.#run;
    const failed = this.#settled.filter((one) => one.iteration === iteration && one.error !== undefined);
    const remarks = [...new Set(this.#remarks)];
    this.#remarks = [];
    let attempt = (failed.at(-1)?.attempt ?? 0) + 1;
    for (let error = failed.at(-1)?.error; ; attempt += 1) {
      if (error !== undefined) {
        const ending = await this.#beforeRetry(error, attempt);
        if (ending !== undefined) return ending;
      }
      if (signal.aborted) return interrupted;
      const limit = chainSpending.exceeded() ?? this.#spending.exceeded();
      if (limit !== undefined) return this.#overBudget(limit);
      const settled = await this.#once(remarks, iteration, attempt);
      if (settled.stopped?.by === 'budget') return this.#overBudget(settled.stopped.limit);
      if (settled.stopped?.by === 'signal') return interrupted;
      if (settled.error === undefined) return settled;
      error = settled.error;
    }
  }

  /** Waits before a further attempt; or returns the end of the step, if there is none. */
  async #beforeRetry(error: IterationError, attempt: number): Promise<Ending | undefined> {
    const { step, signal, tell, times, chainSpending } = this.#run;
    const { code, message } = error;
    const failed: Ending = { status: 'failed', reason: 'error', error: { code, message } };
    if (!isWorthAnother(error, attempt - 1, step.retry)) return failed;
    const ms = waitBefore(attempt, error, times.firstRetryMs);
    const left = Math.min(
      chainSpending.timeLeftMs() ?? longestTimerMs,
      this.#spending.timeLeftMs() ?? longestTimerMs,
    );
    if (ms > left) return failed;
    void tell({
      type: 'waiting',
      step: step.index,
      why: `${firstLine(message)} (attempt ${attempt} follows)`,
      ms,
    });
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return undefined;
  }

  async #once(remarks: readonly string[], iteration: number, attempt: number): Promise<SettledIteration> {
    const { step, cwd, journal, tell, signal, nonce, times, chainSpending } = this.#run;
    const commit = await currentCommit(cwd);
    const told = remarks.length === 0 ? {} : { remarks };
    const place = { step: step.index, iteration, attempt };
    journal.append({ type: 'iteration_begun', ...place, ...withCommit(commit), ...told });
    const prompt = this.#prompt(remarks);
    void tell({ type: 'iteration_start', step: step.index, iteration, attempt });
    const began = performance.now();
    let noted: string | undefined;
    const outcome = await followIteration(
      (stop) => this.#send(prompt, stop),
      {
        onEvent: (event) => tell({ type: 'agent_event', step: step.index, iteration, event }),
        onSession: (sessionId) => {
          if (sessionId === noted) return;
          noted = sessionId;
          journal.append({ type: 'session', step: step.index, iteration, sessionId });
        },
      },
      {
        signal,
        spendings: [chainSpending, this.#spending],
        nonce,
        markerGraceMs: step.loop ? times.markerGraceMs : undefined,
        silenceMs: step.silenceMinutes === undefined ? times.silenceMs : step.silenceMinutes * 60_000,
        wholeMessages: this.#agent?.tellsWholeMessages ?? false,
        toolsUntold: step.run.type === 'program',
      },
    );
    chainSpending.add(outcome.usage);
    this.#spending.add(outcome.usage);
    const after = await currentCommit(cwd);
    const tree = step.noProgress === undefined ? undefined : await this.#fingerprint();
    const settled: SettledIteration = {
      iteration,
      attempt,
      ...outcome,
      elapsedMs: Math.round(performance.now() - began),
      ...withCommit(after),
      ...(tree === undefined ? {} : { tree }),
    };
    this.#sessionId = settled.sessionId ?? this.#sessionId;
    // What somebody has stopped is no run of the step's: it is begun again.
    if (settled.stopped?.by !== 'signal') this.#settled.push(settled);
    journal.append({ type: 'iteration_ended', step: step.index, ...settled });
    const { error, usage } = settled;
    void tell({
      type: 'iteration_end',
      step: step.index,
      iteration,
      marker: settled.marker,
      output: settled.output,
      elapsedMs: settled.elapsedMs,
      ...(usage === undefined ? {} : { usage }),
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    });
    return settled;
  }

  #send(prompt: string | undefined, signal: AbortSignal) {
    const { step, cwd, programs, values, nonce } = this.#run;
    if (this.#agent !== undefined) return this.#agent.send(prompt ?? '', signal);
    if (step.run.type !== 'program') throw new Error('A step runs an agent or a program.');
    const args = step.run.args.map((arg) => fill(arg, values));
    return runProgram({
      program: step.run,
      args: prompt === undefined ? args : [...args, prompt],
      cwd,
      settings: programs,
      marker: markerLine(nonce),
      signal,
    });
  }

  #prompt(remarks: readonly string[]): string | undefined {
    const { step, values } = this.#run;
    return step.prompt === undefined ? undefined : [fill(step.prompt, values), ...remarks].join('\n\n');
  }

  async #fingerprint(): Promise<string | undefined> {
    const { step, cwd, tell } = this.#run;
    const tree = await fingerprint(cwd);
    if (tree === undefined && !this.#warnedOfTree) {
      this.#warnedOfTree = true;
      const message =
        'noProgress has no effect here: only in a git work tree with a commit changes can be seen.';
      void tell({ type: 'warning', step: step.index, message });
    }
    return tree;
  }

  /** Says whether the step is over after this run. */
  async #judge(settled: SettledIteration, known?: Verification): Promise<Ending | undefined> {
    const { step, signal, tell, journal, chainSpending } = this.#run;
    const reason: StepReason = step.loop ? 'marker' : 'single_run';
    if (step.loop && !settled.marker)
      return this.#hasStalled() ? { status: 'incomplete', reason: 'no_progress' } : undefined;
    if (step.verify === undefined) return { status: 'done', reason };
    if (signal.aborted) return interrupted;
    let verdict = known;
    if (verdict === undefined) {
      void tell({ type: 'verify_start', step: step.index, command: step.verify });
      verdict = await this.#verify(step.verify);
      if (signal.aborted) return interrupted;
      const limit = verdict.passed ? undefined : (chainSpending.exceeded() ?? this.#spending.exceeded());
      if (limit !== undefined) return this.#overBudget(limit);
      journal.append({ type: 'verified', step: step.index, iteration: settled.iteration, ...verdict });
      void tell({ type: 'verify_end', step: step.index, ...verdict });
    }
    if (verdict.passed) return { status: 'done', reason, verified: true };
    if (!step.loop || settled.iteration >= step.iterations) return this.#unverified(verdict);
    this.#remarks.push(verifyRemark(step.verify, verdict.output));
    return undefined;
  }

  async #verify(command: string): Promise<Verification> {
    const { cwd, programs: settings, values, signal, times, chainSpending } = this.#run;
    const { variables } = values;
    const left = [chainSpending, this.#spending].flatMap((one) => one.timeLeftMs() ?? []);
    const timeoutMs = Math.max(1, Math.round(Math.min(times.verifyMs, ...left)));
    return verify({ command, cwd, settings, variables, signal, timeoutMs });
  }

  #unverified({ output }: Verification): Ending {
    const message = `The check \`${this.#run.step.verify}\` failed:\n${output}`;
    return {
      status: 'incomplete',
      reason: 'verify_failed',
      verified: false,
      error: { code: 'unknown', message },
    };
  }

  /** True if the last runs all said the same and left the work tree as it was. */
  #hasStalled(): boolean {
    const { noProgress } = this.#run.step;
    if (noProgress === undefined) return false;
    const runs = this.#settled.filter(({ error }) => error === undefined).slice(-noProgress);
    const [first] = runs;
    if (first?.tree === undefined || runs.length < noProgress) return false;
    return runs.every(
      ({ output, tree, commit }) => output === first.output && tree === first.tree && commit === first.commit,
    );
  }

  #outOfRuns(): Ending {
    return { status: 'incomplete', reason: 'max_iterations' };
  }

  #overBudget(limit: string): Ending {
    return {
      status: 'incomplete',
      reason: 'budget',
      error: { code: 'timeout', message: `The budget ends the step: ${limit}.` },
    };
  }
}

const interrupted: Ending = { status: 'incomplete', reason: 'interrupted' };

function withCommit(commit: string | undefined): { readonly commit?: string } {
  return commit === undefined ? {} : { commit };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
