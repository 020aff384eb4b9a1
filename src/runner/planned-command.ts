import type { BackendAdapterConfig, SpawnedCommand } from '../backends/types.js';
import { redactVariables } from '../config/redact.js';
import { planTurn } from '../sessions/plan-turn.js';
import { codexSdkAdapter } from './codex-sdk.js';
import { sessionOptions } from './session-options.js';
import type { RunnerName, RunnerOptions } from './types.js';

/**
 * Returns the exact command that a turn with these options, which have been checked, would be started with. Nothing is started,
 * written or looked up: temporary files are in `<temporary>`, a CLI that is not installed has its plain name, and variables
 * that look like secrets have no value.
 */
export async function plannedCommand(
  name: RunnerName,
  options: RunnerOptions,
  config: BackendAdapterConfig,
  mode: 'one-shot' | 'live',
): Promise<SpawnedCommand> {
  const session = sessionOptions(name, options, config, mode === 'live');
  const sdk = name === 'codex-sdk' ? { adapter: codexSdkAdapter(session.config) } : {};
  const planned = await planTurn({ ...sdk, ...session }, options.prompt);
  // The caller's variables belong to what the CLI inherits, but not to what the reader of a plan has.
  return { ...planned, env: { ...redactVariables(options.env ?? {}), ...planned.env } };
}
