import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { runnerBackend } from './runner-config.js';
import type { RunnerName } from './types.js';

/** Returns what is missing, with the command that installs it; undefined if the runner's program, or its SDK, is there. */
export async function whyNotInstalled(
  name: RunnerName,
  config: BackendAdapterConfig,
): Promise<TurnoutError | undefined> {
  try {
    await runnerBackend(name, config).locate?.();
    return undefined;
  } catch (error) {
    if (error instanceof TurnoutError) return error;
    throw error;
  }
}
