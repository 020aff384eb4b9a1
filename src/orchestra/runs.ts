import type { ResolvedChain, RunReport, RunSummary } from './types.js';

/** A run as it is on disk. */
export interface StoredRun {
  readonly report: RunReport;
  readonly summary: RunSummary;
  readonly chain: ResolvedChain;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly reportFile: string;
}

/** The runs of this home, newest first. */
export async function listRuns(_home: string): Promise<readonly RunSummary[]> {
  return [];
}

export async function readRun(_home: string, _runId: string): Promise<StoredRun> {
  throw new Error('stub: the engine takes its own');
}
