import type { BackendAdapter, BackendAdapterConfig } from '../backends/types.js';
import type { RunnerName } from './types.js';

/** STUB until the runner's part is merged: the adapter of a runner that is no registered backend. */
export async function adapterFor(
  _name: RunnerName,
  _config: BackendAdapterConfig,
): Promise<{ readonly adapter?: BackendAdapter }> {
  return {};
}
