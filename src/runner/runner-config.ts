import { resolve } from 'node:path';
import { completeConfig } from '../backends/launch/complete-config.js';
import { backendEntry, createBackend } from '../backends/registry.js';
import type { BackendAdapterConfig, BackendConfig, EventBackend } from '../backends/types.js';
import { codexSdkAdapter } from './codex-sdk.js';
import { codexSdk } from './runner-names.js';
import type { RunnerName } from './types.js';

/** The settings of one runner; all of them have defaults. They are its own: no setting reaches another runner. */
export type RunnerDefaults = BackendConfig;

export function runnerConfig(name: RunnerName, defaults?: RunnerDefaults): BackendAdapterConfig {
  const config = completeConfig(programOf(name), defaults, 'defaults');
  // A path is relative to this process's directory, wherever the agent works.
  return /[\\/]/.test(config.cliPath) ? { ...config, cliPath: resolve(config.cliPath) } : config;
}

/** The backend behind a runner. */
export function runnerBackend(name: RunnerName, config: BackendAdapterConfig): EventBackend {
  return name === codexSdk ? codexSdkAdapter(config) : createBackend(name, config);
}

function programOf(name: RunnerName): string {
  return name === codexSdk ? 'codex' : backendEntry(name).command;
}
