import { resolve } from 'node:path';
import type { BackendAdapterConfig, CompleteTurnOptions, TurnOptions } from '../types.js';

/** Fills in options that are left out, from the config and with the defaults that all CLIs share. */
export function completeOptions(options: TurnOptions, config: BackendAdapterConfig): CompleteTurnOptions {
  return {
    sessionId: options.sessionId,
    systemPrompt: options.systemPrompt ?? '',
    cwd: resolve(options.cwd ?? config.workingDir),
    model: options.model ?? config.model,
    maxTurns: options.maxTurns,
    allowedTools: options.allowedTools ?? config.allowedTools,
    disallowedTools: options.disallowedTools ?? [],
    permissionMode: options.permissionMode ?? 'bypass',
    // An option that is left out keeps the keys of warm processes as they are.
    ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
    ...(options.settings === undefined ? {} : { settings: options.settings }),
    ...(options.confirmTools ? { confirmTools: true } : {}),
    mcpConfig: options.mcpConfig,
  };
}
