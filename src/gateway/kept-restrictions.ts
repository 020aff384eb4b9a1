import type { AnyBackendName } from '../backends/registry.js';
import type { BackendCapabilities } from '../backends/types.js';
import type { GatewayConfig } from './config.js';

type Restricted = Pick<GatewayConfig, 'allowedTools' | 'backendMaxTurnsSet'>;

/** The settings that a backend can't honour, by name. */
export function unkeptSettings(config: Restricted, can: BackendCapabilities): readonly string[] {
  return [
    ...(config.allowedTools.length > 0 && !can.allowedTools ? ['ALLOWED_TOOLS'] : []),
    ...(config.backendMaxTurnsSet && !can.maxTurns ? ['BACKEND_MAX_TURNS'] : []),
  ];
}

/** Says that a backend was chosen in place of another one, which has restrictions that it can't keep; undefined if it can. */
export function describeUnkept(
  backend: AnyBackendName,
  names: readonly string[],
  isAllowed: boolean,
): string | undefined {
  if (names.length === 0) return undefined;
  const lost = `${backend} can't be restricted by ${names.join(' and ')}`;
  return isAllowed ? `${lost}, and runs here without.` : `${lost}, and does not run without.`;
}
