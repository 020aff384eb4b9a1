import { type Environment, given } from '../../config/home-directory.js';
import { type SettingOrigins, settingWithOrigin } from '../../config/setting-origins.js';
import { readRunnerName } from '../../runner/runner-names.js';
import type { RunnerName } from '../../runner/types.js';

/**
 * O5: the runner that `--backend` names for a run, an agent or a chain, else FORGE_BACKEND. Undefined if neither does: AGENT_BACKEND
 * decides then. The gateway looks at AGENT_BACKEND alone.
 */
export function askedRunner(
  flag: string | undefined,
  settings: Environment,
  origins: SettingOrigins = {},
): RunnerName | undefined {
  if (flag !== undefined) return readRunnerName(flag, '--backend');
  const written = given(settings['FORGE_BACKEND']);
  return written === undefined
    ? undefined
    : readRunnerName(written, settingWithOrigin('FORGE_BACKEND', origins));
}
