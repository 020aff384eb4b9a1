import { completeOptions } from '../backends/launch/complete-options.js';
import type { LiveSessionOptions } from '../backends/live/types.js';
import type { CompleteSessionOptions } from './types.js';

/** The options of a live session with all defaults filled in. */
export function liveOptions(options: CompleteSessionOptions): LiveSessionOptions {
  const { config, agentHooks, heldBy } = options;
  const maxTurns = options.maxTurns ?? config.maxTurns;
  const complete = { ...completeOptions(options, config), maxTurns, agentHooks, heldBy };
  // An option that is left out keeps the keys of warm processes as they are.
  return options.rawArgs?.length ? { ...complete, rawArgs: options.rawArgs } : complete;
}
