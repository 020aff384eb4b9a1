import type { AnyBackendName } from '../../backends/names.js';
import type { Environment } from '../../config/home-directory.js';
import type { TurnoutError } from '../../core/errors.js';
import { isBackendChosen } from '../../gateway/choose-backend.js';

/**
 * R6.3: the backend is Claude where nobody has chosen one. Only somebody who can see which one it is gets another (`mayPick`): the
 * CLI that is there where Claude is not.
 */
export async function chooseInstalled(
  settings: Environment,
  inherited: Environment,
  { flag, mayPick }: { readonly flag: string | undefined; readonly mayPick: boolean },
): Promise<InstalledChoice> {
  if (flag !== undefined || isBackendChosen(settings)) return { notes: [] };
  const { installedBackends, isInstalled, NoneInstalled, NotChosen, pickBackend } = await import(
    './installed-backend.js'
  );
  if (await isInstalled('claude', inherited)) return { notes: [] };
  const installed = await installedBackends(inherited);
  const [first] = installed;
  if (first === undefined) return { notes: [], missing: new NoneInstalled() };
  if (!mayPick) return { notes: [], missing: new NotChosen(installed) };
  const picked = await pickBackend([first, ...installed.slice(1)], inherited);
  return {
    picked,
    notes: [`using ${picked}: Claude is not installed. \`turnout init\` saves your default.`],
  };
}

export interface InstalledChoice {
  /** It takes the place of Claude, with Claude's restrictions. */
  readonly picked?: AnyBackendName;
  readonly notes: readonly string[];
  /** Set if Claude is missing, and nothing was picked in its place: a turn can't be run. */
  readonly missing?: TurnoutError;
}
