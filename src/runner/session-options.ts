import { childEnvironment } from '../backends/launch/child-environment.js';
import type { BackendAdapterConfig } from '../backends/types.js';
import type { CompleteSessionOptions } from '../sessions/types.js';
import { providerArguments } from './provider-options.js';
import type { RunnerName, RunnerOptions } from './types.js';

/** The options of a session that runs turns with these options, which have been checked. */
export function sessionOptions(
  name: RunnerName,
  options: RunnerOptions,
  config: BackendAdapterConfig,
  live: boolean,
): CompleteSessionOptions {
  const inherited = config.env ?? process.env;
  return {
    backend: name,
    config: options.env === undefined ? config : { ...config, env: childEnvironment(inherited, options.env) },
    live,
    systemPrompt: options.systemPrompt,
    sessionId: options.sessionId,
    continueLast: options.continueLast,
    cwd: options.cwd,
    model: options.model,
    thinking: options.thinking,
    maxTurns: options.maxTurns,
    allowedTools: options.tools?.allowed,
    disallowedTools: options.tools?.disallowed,
    permissionMode: options.permissionMode,
    mcpConfig: options.mcpConfig,
    settings: options.settings,
    rawArgs: [...providerArguments(name, options), ...(options.rawArgs ?? [])],
    ...(options.timeoutMs === undefined ? {} : { clocks: { turnMs: options.timeoutMs } }),
    trace: options.trace,
  };
}
