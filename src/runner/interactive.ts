import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import type { InteractiveResult, RunnerName, RunnerOptions } from './types.js';

/** Starts the vendor's own terminal UI on this process's stdin, stdout and stderr, and waits for its end. */
export async function runInteractive(
  name: RunnerName,
  _options: RunnerOptions,
  _config: BackendAdapterConfig,
): Promise<InteractiveResult> {
  throw new TurnoutError('unsupported', `The terminal UI of ${name} can't be started yet.`);
}
