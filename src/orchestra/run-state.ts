import type { JournalEntry, RunEntry, SettledIteration } from './journal.js';
import { addUsage, nothingSpent, type Spent } from './spending.js';
import type { RunStatus, StepReport } from './types.js';

/** What the journal says of one step. */
export interface StepState {
  /** Runs that have ended and count, failed attempts among them, in their order. */
  readonly settled: readonly SettledIteration[];
  /** A run that was begun and broken off: its process was killed, or somebody has stopped it. */
  readonly brokenOff?: BrokenOff;
  /** What the run that was begun last was told in addition to its prompt. */
  readonly remarks?: { readonly iteration: number; readonly list: readonly string[] };
  /** The session of the last run. */
  readonly sessionId?: string;
  /** The verdict of `verify` on the last settled run. */
  readonly verified?: { readonly iteration: number; readonly passed: boolean; readonly output: string };
  readonly report?: StepReport;
  /** The number of runs that don't count any more. */
  readonly earlierRuns: number;
  /** What all its runs have used, also those that don't count any more. */
  readonly spent: Spent;
  /** The part of it that was used before its budget began to count. */
  readonly beforeBudget: Spent;
}

export interface BrokenOff {
  readonly iteration: number;
  readonly attempt: number;
  readonly sessionId?: string;
}

export interface RunState {
  readonly run: RunEntry;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** Undefined if no process has noted an end. */
  readonly status?: RunStatus;
  readonly steps: ReadonlyMap<number, StepState>;
  /** What the whole run has used, in all its processes. */
  readonly spent: Spent;
  /** The part of it that was used before the chain's budget began to count. */
  readonly beforeBudget: Spent;
}

export const untouched: StepState = {
  settled: [],
  earlierRuns: 0,
  spent: nothingSpent,
  beforeBudget: nothingSpent,
};

/** Folds the journal of a run into where it stands: a pure function of the entries. */
export function foldJournal(entries: readonly JournalEntry[]): RunState {
  const [first] = entries;
  if (first?.type !== 'run') throw new Error('A journal begins with its run.');
  const { at: startedAt, ...run } = first;
  const steps = new Map<number, StepState>();
  const clock = new LifeClock();
  let ending: { readonly status: RunStatus; readonly endedAt: string } | undefined;
  let overBudget = false;
  let beforeBudget = nothingSpent;
  for (const entry of entries) {
    clock.see(entry);
    if (entry.type === 'resumed') {
      // A run that was killed goes on where it was; only one that had ended gets its steps opened again.
      if (ending !== undefined) {
        if (overBudget) beforeBudget = { usage: usageOf(steps), elapsedMs: clock.elapsedMs };
        for (const [index, step] of steps) steps.set(index, reopened(step));
      }
      ending = undefined;
    } else if (entry.type === 'run_ended') {
      ending = { status: entry.status, endedAt: entry.at };
      overBudget = entry.overBudget === true;
    } else if (entry.type !== 'run') {
      steps.set(entry.step, next(steps.get(entry.step) ?? untouched, entry));
    }
  }
  const spent = { usage: usageOf(steps), elapsedMs: clock.elapsedMs };
  return { run, startedAt, ...ending, steps, spent, beforeBudget };
}

/** Adds up the time of the processes that had the run: the time between two of them does not count. */
class LifeClock {
  #earlierMs = 0;
  #ms = 0;

  see({ type, ms = 0 }: JournalEntry): void {
    if (type === 'run' || type === 'resumed') this.#earlierMs = this.elapsedMs;
    this.#ms = ms;
  }

  get elapsedMs(): number {
    return this.#earlierMs + this.#ms;
  }
}

function usageOf(steps: ReadonlyMap<number, StepState>): Spent['usage'] {
  return [...steps.values()].map(({ spent }) => spent.usage).reduce(addUsage, undefined);
}

type StepEntry = Extract<JournalEntry, { readonly step: number }>;

function next(step: StepState, entry: StepEntry): StepState {
  switch (entry.type) {
    case 'step_begun':
      return step;
    case 'iteration_begun':
      return {
        ...step,
        brokenOff: { iteration: entry.iteration, attempt: entry.attempt },
        remarks: { iteration: entry.iteration, list: entry.remarks ?? [] },
      };
    case 'session': {
      const { brokenOff, ...rest } = step;
      return brokenOff === undefined
        ? rest
        : { ...rest, sessionId: entry.sessionId, brokenOff: { ...brokenOff, sessionId: entry.sessionId } };
    }
    case 'iteration_ended': {
      const { brokenOff: _, verified, ...rest } = step;
      const { type: __, step: ___, at: ____, ms: _____, ...settled } = entry;
      const usage = addUsage(step.spent.usage, settled.usage);
      const spent = { usage, elapsedMs: step.spent.elapsedMs + settled.elapsedMs };
      // What somebody has stopped is no end: it is begun again.
      if (settled.stopped?.by === 'signal') {
        const kept = verified === undefined ? rest : { ...rest, verified };
        return { ...kept, spent, brokenOff: brokenOffRun(settled) };
      }
      return { ...rest, spent, settled: [...step.settled, settled] };
    }
    case 'verified': {
      const { iteration, passed, output } = entry;
      return { ...step, verified: { iteration, passed, output } };
    }
    case 'step_ended':
      return { ...step, report: entry.report };
  }
}

/** Attempts at one iteration are one run. */
export function runsIn(settled: readonly SettledIteration[]): number {
  return new Set(settled.map(({ iteration }) => iteration)).size;
}

function brokenOffRun({ iteration, attempt, sessionId }: SettledIteration): BrokenOff {
  return { iteration, attempt, ...(sessionId === undefined ? {} : { sessionId }) };
}

/**
 * A step that had not come to a good end when its run was resumed. After an interruption or a failure it goes on behind its last
 * good run. One that had used up its runs, its budget or its chances gets all of them anew: that is what the person wants who
 * resumes it.
 */
function reopened(step: StepState): StepState {
  const { report, verified: _, ...rest } = step;
  if (report === undefined || report.status === 'done') return step;
  if (report.status === 'skipped') return untouched;
  if (report.reason === 'interrupted')
    return { ...rest, ...(step.verified ? { verified: step.verified } : {}) };
  if (report.reason === 'error')
    return { ...rest, settled: step.settled.filter(({ error }) => error === undefined) };
  const { settled, spent, sessionId } = step;
  const last = settled.at(-1);
  return {
    settled: [],
    earlierRuns: step.earlierRuns + runsIn(settled),
    spent,
    beforeBudget: spent,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(last?.stopped === undefined ? {} : { brokenOff: brokenOffRun(last) }),
  };
}
