import type { BackendCapabilities } from '../../backends/types.js';
import type { GatewayConfig } from '../config.js';
import type { TurnSettings } from './turn-settings.js';

/** Whether a backend keeps the restrictions of a channel; if not, what the channel is told. */
export type RestrictionCheck =
  | { readonly type: 'kept' }
  | { readonly type: 'refused' | 'dropped'; readonly text: string };

/**
 * Settings of the environment that AGENT_BACKEND itself can't keep don't count here: they are warned about at the start and
 * ignored (R7.3). Any other backend was chosen for a channel by somebody who may not know of them.
 */
export function checkRestrictions(
  config: GatewayConfig,
  { backend, tools }: Pick<TurnSettings, 'backend' | 'tools'>,
  capabilities: BackendCapabilities,
): RestrictionCheck {
  const chosen = backend !== config.agentBackend;
  const limitsTools = chosen && tools === undefined && config.allowedTools.length > 0;
  const lost = [
    ...(tools !== undefined && !capabilities.allowedTools ? ['"tools" of this channel'] : []),
    ...(limitsTools && !capabilities.allowedTools ? ['ALLOWED_TOOLS'] : []),
    ...(chosen && config.backendMaxTurnsSet && !capabilities.maxTurns ? ['BACKEND_MAX_TURNS'] : []),
  ].join(' and ');
  if (lost === '') return { type: 'kept' };
  if (config.allowUnsupported) {
    return { type: 'dropped', text: `${backend} can't be restricted by ${lost}, and runs here without.` };
  }
  return {
    type: 'refused',
    text: `${backend} can't be restricted by ${lost}, and does not run without. Choose another backend, remove the setting, or set ALLOW_UNSUPPORTED=1 for the gateway.`,
  };
}
