import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { checkOptions } from './check-options.js';
import { refuseMode } from './check-values.js';
import type { InteractiveResult, RunnerName, RunnerOptions } from './types.js';

/** A place holder: the real one comes with the branch `native`. */
export async function runInteractive(
  name: RunnerName,
  options: RunnerOptions,
  _config: BackendAdapterConfig,
): Promise<InteractiveResult> {
  refuseMode(options, 'interactive');
  await checkOptions(name, options, 'interactive');
  throw new TurnoutError('not_installed', `The terminal UI of ${name} can't be started yet.`);
}
