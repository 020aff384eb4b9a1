import { defaultMaxTurns } from '../backends/launch/complete-config.js';
import type { BackendAdapterConfig, EventBackend } from '../backends/types.js';
import type { RunnerOptions } from './types.js';

/** R7.3: the defaults of a runner that its backend can't honour, each told by its name; options are refused instead. */
export function ignoredDefaults(
  {
    config,
    backend,
  }: {
    readonly config: BackendAdapterConfig;
    readonly backend: EventBackend;
  },
  options: RunnerOptions,
): readonly string[] {
  const can = backend.capabilities;
  const ignored = [
    ...(config.maxTurns !== defaultMaxTurns && options.maxTurns === undefined && !can.maxTurns
      ? ['maxTurns']
      : []),
    ...(config.allowedTools.length > 0 && options.tools?.allowed === undefined && !can.allowedTools
      ? ['allowedTools']
      : []),
  ];
  return ignored.map(
    (name) => `${name} among the runner's defaults is not supported by ${backend.name()}, and is ignored.`,
  );
}
