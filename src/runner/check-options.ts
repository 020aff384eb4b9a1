import type { RunnerName, RunnerOptions } from './types.js';

/** The options that are left, and what was left out. */
export interface CheckedOptions {
  readonly options: RunnerOptions;
  /** One sentence for each option that the backend can't honour: empty unless `allowUnsupported` is set. */
  readonly warnings: readonly string[];
}

/** The way in which the CLI is run: started for one turn, kept for many, or with its own terminal UI. */
export type RunMode = 'one-shot' | 'live' | 'interactive';

/**
 * O4: throws a TurnoutError (`unsupported`) that names the first option that the backend can't honour in this mode, the backend,
 * and the way out. With `allowUnsupported` such options are left out instead, and told.
 */
export async function checkOptions(
  _name: RunnerName,
  options: RunnerOptions,
  _mode: RunMode,
): Promise<CheckedOptions> {
  return { options, warnings: [] };
}
