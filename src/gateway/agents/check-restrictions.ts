import type { BackendCapabilities } from '../../backends/types.js';
import { describeUnkept, type GatewayConfig, unkeptSettings } from '../config.js';
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
  // A channel's own tools take the place of ALLOWED_TOOLS.
  const limits = tools === undefined ? config : { ...config, allowedTools: [] };
  const names = [
    ...(tools !== undefined && !capabilities.allowedTools ? ['"tools" of this channel'] : []),
    ...(backend === config.agentBackend ? [] : unkeptSettings(limits, capabilities)),
  ];
  const text = describeUnkept(backend, names, config.allowUnsupported);
  if (text === undefined) return { type: 'kept' };
  if (config.allowUnsupported) return { type: 'dropped', text };
  return {
    type: 'refused',
    text: `${text} Choose another backend, remove the setting, or set ALLOW_UNSUPPORTED=1 for the gateway.`,
  };
}
