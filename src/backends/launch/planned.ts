import type { TurnOptions } from '../types.js';

/** Stands for the directory of temporary files in a command that is only planned. */
export const plannedScratch = '<temporary>';

/** Stands for the session that `continueLast` finds when the turn runs. */
const lastSession = '<last session>';

export function withoutLookingUp<O extends TurnOptions>(options: O): O {
  return options.continueLast ? { ...options, sessionId: lastSession, continueLast: undefined } : options;
}
