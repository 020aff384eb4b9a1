import type { JournalEntry, RunEntry, SettledIteration } from './journal.js';
import type { RunStatus, StepReport } from './types.js';

/** What the journal says of one step. */
export interface StepState {
  /** Runs that have ended, failed attempts among them, in their order. */
  readonly settled: readonly SettledIteration[];
  /** A run that was begun and whose end nobody has noted. */
  readonly unsettled?: { readonly iteration: number; readonly attempt: number; readonly sessionId?: string };
  /** The verdict of `verify` on the last settled run. */
  readonly verified?: { readonly iteration: number; readonly passed: boolean; readonly output: string };
  readonly report?: StepReport;
}

export interface RunState {
  readonly run: RunEntry;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly status?: RunStatus;
  readonly steps: ReadonlyMap<number, StepState>;
  /** The time that earlier processes have spent on the run. */
  readonly elapsedMs: number;
}

const untouched: StepState = { settled: [] };

/** Folds the journal of a run into where it stands: a pure function of the entries. */
export function foldJournal(entries: readonly JournalEntry[]): RunState {
  const [first] = entries;
  if (first?.type !== 'run') throw new Error('A journal begins with its run.');
  const { at: startedAt, ...run } = first;
  const steps = new Map<number, StepState>();
  let status: RunStatus | undefined;
  let endedAt: string | undefined;
  let elapsedMs = 0;
  let lifeBegan = Date.parse(startedAt);
  let last = lifeBegan;
  for (const entry of entries) {
    if (entry.type === 'resumed') {
      elapsedMs += Math.max(0, last - lifeBegan);
      lifeBegan = Date.parse(entry.at);
      status = undefined;
      endedAt = undefined;
      for (const [index, step] of steps) steps.set(index, reopened(step));
    } else if (entry.type === 'run_ended') {
      status = entry.status;
      endedAt = entry.at;
    } else if (entry.type !== 'run') {
      steps.set(entry.step, next(steps.get(entry.step) ?? untouched, entry));
    }
    last = Date.parse(entry.at);
  }
  elapsedMs += Math.max(0, last - lifeBegan);
  return {
    run,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(status === undefined ? {} : { status }),
    steps,
    elapsedMs,
  };
}

type StepEntry = Extract<JournalEntry, { readonly step: number }>;

function next(step: StepState, entry: StepEntry): StepState {
  switch (entry.type) {
    case 'step_begun':
      return step;
    case 'iteration_begun':
      return { ...step, unsettled: { iteration: entry.iteration, attempt: entry.attempt } };
    case 'session':
      return step.unsettled === undefined
        ? step
        : { ...step, unsettled: { ...step.unsettled, sessionId: entry.sessionId } };
    case 'iteration_ended': {
      const { unsettled: _, verified: __, ...rest } = step;
      const { type: ___, step: ____, at: _____, ...settled } = entry;
      return { ...rest, settled: [...step.settled, settled] };
    }
    case 'verified': {
      const { iteration, passed, output } = entry;
      return { ...step, verified: { iteration, passed, output } };
    }
    case 'step_ended':
      return { ...step, report: entry.report };
  }
}

/**
 * A step that had not come to a good end when the run was resumed. After an interruption or a failure it goes on behind its last
 * good run. One that had used up its runs, its budget or its chances gets all of them anew: that is what the person wants who
 * resumes it.
 */
function reopened(step: StepState): StepState {
  const { report, ...rest } = step;
  if (report === undefined || report.status === 'done') return step;
  if (report.status === 'skipped') return untouched;
  const goesOn = report.reason === 'interrupted' || report.reason === 'error';
  if (!goesOn) return untouched;
  return { ...rest, settled: step.settled.filter(({ error }) => error === undefined) };
}
