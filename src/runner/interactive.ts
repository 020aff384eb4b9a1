import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import type { InteractiveResult, RunnerName, RunnerOptions } from './types.js';

/** A place holder: the real one comes with the branch `native`. */
export async function runInteractive(
  name: RunnerName,
  _options: RunnerOptions,
  _config: BackendAdapterConfig,
): Promise<InteractiveResult> {
  throw new TurnoutError('not_installed', `The terminal UI of ${name} can't be started yet.`);
}
