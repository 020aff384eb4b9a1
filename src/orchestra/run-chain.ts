import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { TurnoutError } from '../core/errors.js';
import { Sessions } from '../sessions/sessions.js';
import { type DirectoryLock, lockDirectory } from '../store/instance-lock.js';
import { holds } from './conditions.js';
import { Journal, type JournalWatcher, type NewEntry, type RunEntry } from './journal.js';
import type { ConfigFor } from './resolve-agent.js';
import type { ProgramSettings } from './run-program.js';
import { markdownReport } from './run-report.js';
import { foldJournal, type RunState, untouched } from './run-state.js';
import { defaultTimes, runStep, type StepTimes, type Tell } from './run-step.js';
import { findRunId, nameOf, newRunId, readRun, reportFile, reportOf, runDirectory } from './runs.js';
import { nothingSpent, Spending } from './spending.js';
import type { ResolvedChain, ResolvedStep, RunReport, RunStatus, StepReport } from './types.js';
import type { Values } from './variables.js';
import { addWorktree, currentCommit, findWorkTree, lockWorkTree } from './work-tree.js';

export interface RunSettings {
  readonly home: string;
  readonly configFor: ConfigFor;
  /** Default: this process's environment and user. */
  readonly programs?: ProgramSettings | undefined;
  /** Aborted to end the run: what runs is ended with all that it started, and the run can be resumed. */
  readonly signal: AbortSignal;
  /** Called with all that happens. A promise is awaited while an agent runs, so that a slow listener slows the agent. */
  readonly tell: Tell;
  /** True: the run gets a git worktree of its own. */
  readonly worktree?: boolean | undefined;
  readonly times?: Partial<StepTimes> | undefined;
  readonly watch?: JournalWatcher | undefined;
}

/** Runs a chain. Rejects with a TurnoutError only before the first step, or if the journal can't be written. */
export async function runChain(chain: ResolvedChain, settings: RunSettings): Promise<RunReport> {
  const { home } = settings;
  const runId = newRunId();
  const own = settings.worktree ? await addWorktree(chain.cwd, home, runId) : undefined;
  const placed = own === undefined ? chain : { ...chain, cwd: own.cwd };
  const commit = await currentCommit(placed.cwd);
  const run: RunEntry = {
    type: 'run',
    version: 1,
    runId,
    chain: placed,
    ...(chain.nonce ? { nonce: randomBytes(6).toString('hex') } : {}),
    ...(commit === undefined ? {} : { commit }),
    ...(own === undefined ? {} : { startedIn: chain.cwd, worktree: { path: own.path, branch: own.branch } }),
  };
  return withLocks(placed.cwd, home, runId, async () => {
    const journal = Journal.create(runDirectory(home, runId), settings.watch);
    const startedAt = new Date().toISOString();
    const state = { run, startedAt, steps: new Map(), spent: nothingSpent, beforeBudget: nothingSpent };
    return await drive(journal, state, settings, run);
  });
}

/** Goes on with a run that was ended, killed, or did not come to a good end. A completed one is returned as it is. */
export async function resumeRun(asked: string, settings: RunSettings): Promise<RunReport> {
  const { home } = settings;
  const runId = findRunId(home, asked);
  const stored = await readRun(home, runId);
  if (stored.summary.status === 'completed') return stored.report;
  return withLocks(stored.chain.cwd, home, runId, async () => {
    const { journal, entries } = Journal.reopen(runDirectory(home, runId), settings.watch);
    const resumed = { type: 'resumed', at: new Date().toISOString(), ms: 0 } as const;
    return await drive(journal, foldJournal([...entries, resumed]), settings, { type: 'resumed' });
  });
}

/** One process has a run, and one run has a work tree. */
async function withLocks(
  cwd: string,
  home: string,
  runId: string,
  act: () => Promise<RunReport>,
): Promise<RunReport> {
  const locks: DirectoryLock[] = [];
  try {
    locks.push(await lockWorkTree(await findWorkTree(cwd), home));
    locks.push(await lockDirectory(runDirectory(home, runId), 'run'));
    return await act();
  } finally {
    for (const lock of locks.reverse()) await lock.release();
  }
}

async function drive(
  journal: Journal,
  state: RunState,
  settings: RunSettings,
  first: NewEntry,
): Promise<RunReport> {
  const sessions = new Sessions();
  const run = new ChainRun(journal, state, settings, sessions);
  try {
    journal.append(first);
    return await run.run(first.type === 'resumed');
  } finally {
    await sessions.close();
    journal.close();
  }
}

class ChainRun {
  readonly #journal: Journal;
  readonly #state: RunState;
  readonly #settings: RunSettings;
  readonly #sessions: Sessions;
  readonly #spending: Spending;
  readonly #reports: Map<number, StepReport>;
  readonly #began = performance.now();

  constructor(journal: Journal, state: RunState, settings: RunSettings, sessions: Sessions) {
    this.#journal = journal;
    this.#state = state;
    this.#settings = settings;
    this.#sessions = sessions;
    this.#spending = new Spending(state.run.chain.budget, state.spent, state.beforeBudget);
    this.#reports = new Map(
      [...state.steps].flatMap(([index, { report }]) => (report === undefined ? [] : [[index, report]])),
    );
  }

  async run(resumed: boolean): Promise<RunReport> {
    const { chain, runId } = this.#state.run;
    const { tell } = this.#settings;
    const steps = chain.groups.flat().length;
    void tell({ type: 'run_start', runId, chain: chain.name, steps, resumed });
    for (const message of resumed ? [] : chain.warnings) void tell({ type: 'warning', message });
    const status = await this.#runGroups(chain);
    const overBudget = status === 'incomplete' && this.#spending.exceeded() !== undefined;
    this.#journal.append({ type: 'run_ended', status, ...(overBudget ? { overBudget: true as const } : {}) });
    const report = this.#report(status);
    const written = await this.#writeReport(runId);
    const { run, spent } = this.#state;
    void tell({
      type: 'run_end',
      report,
      elapsedMs: spent.elapsedMs + performance.now() - this.#began,
      reportFile: written,
      ...(run.worktree === undefined ? {} : { worktree: run.worktree }),
    });
    return report;
  }

  async #runGroups(chain: ResolvedChain): Promise<RunStatus> {
    for (const group of chain.groups) {
      // A step that breaks the machinery itself must not leave its neighbours running.
      const stop = new AbortController();
      const signal = AbortSignal.any([this.#settings.signal, stop.signal]);
      const running = group.map((step) =>
        this.#runStep(step, signal).catch((error: unknown) => {
          stop.abort();
          throw error;
        }),
      );
      const failure = (await Promise.allSettled(running)).find((one) => one.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      const reports = group.flatMap(({ index }) => this.#reports.get(index) ?? []);
      if (reports.some(({ reason }) => reason === 'interrupted')) return 'interrupted';
      if (reports.some((report) => report.status === 'failed')) return 'failed';
      if (reports.some((report) => report.status === 'incomplete')) return 'incomplete';
      if (this.#settings.signal.aborted) return 'interrupted';
    }
    return 'completed';
  }

  async #runStep(step: ResolvedStep, signal: AbortSignal): Promise<void> {
    if (this.#reports.has(step.index)) return;
    const { tell, configFor, programs = {}, times } = this.#settings;
    const values = this.#values();
    const backend = step.run.type === 'agent' ? step.run.backend : step.agent;
    const { index, agent, iterations, loop } = step;
    if (step.when !== undefined && !holds(step.when, values)) {
      const skipped: StepReport = {
        ...nameOf(step),
        agent,
        backend,
        status: 'skipped',
        iterations: 0,
        output: '',
      };
      this.#end(index, skipped);
      void tell({ type: 'step_skipped', step: index, agent, why: `${step.when.text} does not hold` });
      return;
    }
    this.#journal.append({ type: 'step_begun', step: index });
    void tell({ type: 'step_start', step: index, ...nameOf(step), agent, backend, iterations, loop });
    const report = await runStep({
      step,
      before: this.#state.steps.get(index) ?? untouched,
      cwd: this.#state.run.chain.cwd,
      nonce: this.#state.run.nonce,
      values,
      journal: this.#journal,
      sessions: this.#sessions,
      configFor,
      programs,
      chainSpending: this.#spending,
      signal,
      tell,
      times: { ...defaultTimes, ...times },
    });
    this.#end(index, report);
    void tell({ type: 'step_end', step: index, report });
  }

  #end(step: number, report: StepReport): void {
    this.#journal.append({ type: 'step_ended', step, report });
    this.#reports.set(step, report);
  }

  #values(): Values {
    const { chain } = this.#state.run;
    const steps = chain.groups.flat();
    return {
      variables: chain.variables,
      outputOf: (name) => {
        const step = steps.findLast((one) => one.name === name && this.#reports.has(one.index));
        return step === undefined ? undefined : this.#reports.get(step.index)?.output;
      },
    };
  }

  #report(status: RunStatus): RunReport {
    const steps = new Map(this.#state.steps);
    for (const [index, report] of this.#reports) steps.set(index, { ...untouched, report });
    return reportOf({ ...this.#state, steps }, status);
  }

  /** The report is for people, and the journal has all of it: a disk that is full costs the report and nothing else. */
  async #writeReport(runId: string): Promise<string> {
    const { home, tell } = this.#settings;
    const file = reportFile(home, runId);
    try {
      writeFileSync(file, markdownReport(await readRun(home, runId)), { mode: 0o600 });
    } catch (error) {
      const why = error instanceof TurnoutError ? error.message : (error as Error).message;
      void tell({ type: 'warning', message: `The report can't be written: ${why}` });
    }
    return file;
  }
}
