import type { BackendAdapterConfig } from '../backends/types.js';
import type { ChainPlan, ResolvedChain } from './types.js';

/** Says per step how it would be run. Starts nothing. */
export async function planChain(
  _chain: ResolvedChain,
  _configFor: (backend: string) => BackendAdapterConfig,
): Promise<ChainPlan> {
  throw new Error('stub: the engine takes its own');
}
