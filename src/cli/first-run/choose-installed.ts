import { type Environment, trustedHome } from '../../config/home-directory.js';
import type { TurnoutError } from '../../core/errors.js';
import { isBackendChosen } from '../../gateway/choose-backend.js';
import { knownSessions } from '../sessions/session-index.js';

/** Chooses among the CLIs that are installed if nobody has chosen one. If somebody has, nothing is looked for. */
export async function chooseInstalled(
  settings: Environment,
  inherited: Environment,
  flag: string | undefined,
): Promise<InstalledChoice> {
  if (flag !== undefined || isBackendChosen(settings)) return { settings, notes: [] };
  const { findInstalledBackend, NoneInstalled } = await import('./installed-backend.js');
  const { backend, note } = await findInstalledBackend(inherited);
  if (backend === undefined || note === undefined)
    return { settings, notes: [], missing: new NoneInstalled() };
  // It is named until a turn with it was kept: then it is known.
  const [last] = knownSessions(trustedHome(settings));
  return {
    settings: { ...settings, AGENT_BACKEND: backend },
    notes: last?.backend === backend ? [] : [note],
  };
}

export interface InstalledChoice {
  /** The settings with that backend; those that there are if none is installed. */
  readonly settings: Environment;
  readonly notes: readonly string[];
  /** Set if no CLI is there: a turn can't be run. */
  readonly missing?: TurnoutError;
}
