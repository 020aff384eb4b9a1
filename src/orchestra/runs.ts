import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import { HeldError, lockDirectory } from '../store/instance-lock.js';
import { journalFile, readJournalEnds } from './journal.js';
import { readEntries } from './read-journal.js';
import { foldJournal, type RunState, runsIn, type StepState } from './run-state.js';
import type { ResolvedChain, ResolvedStep, RunReport, RunStatus, RunSummary, StepReport } from './types.js';

/** A run as its journal tells it. */
export interface StoredRun {
  readonly report: RunReport;
  readonly summary: RunSummary;
  readonly chain: ResolvedChain;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly elapsedMs: number;
  readonly worktree?: { readonly path: string; readonly branch: string };
  /** The last check of each step, by the step's place. */
  readonly checks: ReadonlyMap<number, NonNullable<StepState['verified']>>;
  readonly reportFile: string;
}

/** A new id: sorted by name, runs are sorted by time. */
export function newRunId(now = new Date()): string {
  // With milliseconds: two runs of one second have an order.
  const [date = '', time = ''] = now
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .split('T');
  return `${date}-${time}-${randomBytes(2).toString('hex')}`;
}

export function runDirectory(home: string, runId: string): string {
  return join(home, 'runs', runId);
}

export function reportFile(home: string, runId: string): string {
  return join(runDirectory(home, runId), 'report.md');
}

/** Newest first. A run whose journal can't be read is left out, and told. */
export async function listRuns(
  home: string,
  warn: (message: string) => void = () => {},
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const runId of runIds(home)) {
    if (summaries.length >= limit) break;
    try {
      const directory = runDirectory(home, runId);
      const { first, last } = readJournalEnds(journalFile(directory));
      const ended = last?.type === 'run_ended' ? last.status : undefined;
      const status = ended ?? ((await isHeld(directory)) ? 'running' : 'interrupted');
      summaries.push({
        runId,
        chain: first.chain.name,
        status,
        startedAt: first.at,
        cwd: first.startedIn ?? first.chain.cwd,
      });
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      warn(error.message);
    }
  }
  return summaries;
}

/** Reads a run by its id, or by a part of it that only one run has. A journal of more than `maxBytes` is refused. */
export async function readRun(home: string, asked: string, maxBytes?: number): Promise<StoredRun> {
  const runId = findRunId(home, asked);
  const directory = runDirectory(home, runId);
  const state = foldJournal(await readEntries(journalFile(directory), maxBytes));
  const status = state.status ?? ((await isHeld(directory)) ? 'running' : 'interrupted');
  const { run, startedAt, endedAt, spent } = state;
  const checks = [...state.steps].flatMap(([index, { verified }]) =>
    verified === undefined ? [] : [[index, verified] as const],
  );
  return {
    report: status === 'running' ? living(state) : reportOf(state, status),
    summary: { runId, chain: run.chain.name, status, startedAt, cwd: run.startedIn ?? run.chain.cwd },
    chain: run.chain,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    elapsedMs: spent.elapsedMs,
    ...(run.worktree === undefined ? {} : { worktree: run.worktree }),
    checks: new Map(checks),
    reportFile: reportFile(home, runId),
  };
}

/** True if there is a run with exactly this id. */
export function hasRun(home: string, runId: string): boolean {
  return (
    runId === basename(runId) && !runId.startsWith('.') && existsSync(journalFile(runDirectory(home, runId)))
  );
}

export function findRunId(home: string, asked: string): string {
  if (hasRun(home, asked)) return asked;
  const all = [...runIds(home)];
  const matches = all.filter((id) => asked !== '' && id.includes(asked));
  const [only, another] = matches;
  if (only !== undefined && another === undefined) return only;
  const what =
    only === undefined
      ? `There is no run ${JSON.stringify(asked)}.`
      : `${matches.length} runs match ${JSON.stringify(asked)}.`;
  const shown = (only === undefined ? all : matches).slice(0, 5);
  throw new TurnoutError('bad_request', what, {
    hint:
      shown.length === 0
        ? 'No chain has run here yet.'
        : `The newest: ${shown.join(', ')}. \`turnout chain runs\` lists all.`,
  });
}

/** The report of a run as far as it is known. */
export function reportOf({ run, steps }: RunState, status: RunStatus): RunReport {
  const reports = run.chain.groups.flat().map((step) => reportOfStep(step, steps.get(step.index)));
  return { runId: run.runId, chain: run.chain.name, status, steps: reports };
}

/** The report of a run that a living process has: its steps are at work, or wait for their turn. */
function living(state: RunState): RunReport {
  const report = reportOf(state, 'interrupted');
  const steps = report.steps.map((step) => {
    if (step.reason === 'interrupted') return { ...step, status: 'running' as const, reason: undefined };
    return step.status === 'skipped' ? { ...step, status: 'waiting' as const } : step;
  });
  return {
    ...report,
    status: 'running',
    steps: steps.map(({ reason, ...step }) => (reason === undefined ? step : { ...step, reason })),
  };
}

/** The step's own name, if it has one. */
export function nameOf({ name, agent }: ResolvedStep): { readonly name?: string } {
  return name === agent ? {} : { name };
}

function reportOfStep(step: ResolvedStep, state: StepState | undefined): StepReport {
  if (state?.report !== undefined) return state.report;
  const settled = state?.settled ?? [];
  const last = settled.at(-1);
  const begun = last !== undefined || state?.brokenOff !== undefined;
  return {
    ...nameOf(step),
    agent: step.agent,
    backend: step.run.type === 'agent' ? step.run.backend : step.agent,
    status: begun ? 'incomplete' : 'skipped',
    iterations: (state?.earlierRuns ?? 0) + runsIn(settled),
    ...(begun ? { reason: 'interrupted' as const } : {}),
    output: last?.output ?? '',
    ...(state?.sessionId === undefined ? {} : { sessionId: state.sessionId }),
    ...(state?.spent.usage === undefined ? {} : { usage: state.spent.usage }),
  };
}

/** Newest first. Whether a directory holds a run is only looked at when it is its turn. */
function* runIds(home: string): Generator<string> {
  const directory = join(home, 'runs');
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(directory).sort().reverse()) {
    if (existsSync(journalFile(join(directory, name)))) yield name;
  }
}

/** True if a living process has the run. */
async function isHeld(directory: string): Promise<boolean> {
  try {
    const lock = await lockDirectory(directory, 'run');
    await lock.release();
    return false;
  } catch (error) {
    if (error instanceof HeldError) return true;
    if (error instanceof TurnoutError) return false;
    throw error;
  }
}
