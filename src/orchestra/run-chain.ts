import type { BackendAdapterConfig } from '../backends/types.js';
import type { ChainEvent, ResolvedChain, RunReport } from './types.js';

export interface RunSettings {
  readonly home: string;
  readonly configFor: (backend: string) => BackendAdapterConfig;
  readonly signal: AbortSignal;
  readonly tell: (event: ChainEvent) => void;
  readonly worktree?: boolean | undefined;
}

export async function runChain(_chain: ResolvedChain, _settings: RunSettings): Promise<RunReport> {
  throw new Error('stub: the engine takes its own');
}

export async function resumeRun(_runId: string, _settings: RunSettings): Promise<RunReport> {
  throw new Error('stub: the engine takes its own');
}
