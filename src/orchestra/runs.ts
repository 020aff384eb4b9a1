import type { ResolvedChain, RunReport, RunSummary } from './types.js';

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
  readonly checks: ReadonlyMap<
    number,
    { readonly iteration: number; readonly passed: boolean; readonly output: string }
  >;
  readonly reportFile: string;
}

/** The runs of this home, newest first. */
export async function listRuns(_home: string): Promise<readonly RunSummary[]> {
  return [];
}

export async function readRun(_home: string, _runId: string): Promise<StoredRun> {
  throw new Error('stub: the engine takes its own');
}
