import { resolve } from 'node:path';
import { backendEntry, createBackend } from '../backends/registry.js';
import type { BackendAdapterConfig, EventBackend } from '../backends/types.js';
import { codexSdkAdapter } from './codex-sdk.js';
import { refuseUnknown } from './refuse-unknown.js';
import { codexSdk } from './runner-names.js';
import type { RunnerName } from './types.js';

/** The settings of one runner; all of them have defaults. They are its own: no setting reaches another runner. */
export type RunnerDefaults = Partial<BackendAdapterConfig>;

const defaultNames: readonly (keyof BackendAdapterConfig)[] = [
  ...(['cliPath', 'workingDir', 'queryTimeoutMs', 'exitGraceMs', 'maxOutputBytes', 'allowedTools'] as const),
  ...(['maxTurns', 'model', 'env', 'home', 'user'] as const),
];

export function runnerConfig(name: RunnerName, defaults: RunnerDefaults = {}): BackendAdapterConfig {
  refuseUnknown(defaults, defaultNames, 'defaults.');
  const given = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
  const config: BackendAdapterConfig = {
    cliPath: programOf(name),
    workingDir: process.cwd(),
    queryTimeoutMs: 600_000,
    allowedTools: [],
    maxTurns: defaultMaxTurns,
    ...given,
  };
  // A path is relative to this process's directory, wherever the agent works.
  const isPath = typeof config.cliPath === 'string' && /[\\/]/.test(config.cliPath);
  return isPath ? { ...config, cliPath: resolve(config.cliPath) } : config;
}

/** The backend behind a runner. */
export function runnerBackend(name: RunnerName, config: BackendAdapterConfig): EventBackend {
  return name === codexSdk ? codexSdkAdapter(config) : createBackend(name, config);
}

/** R7.2: the limit of a backend that has one, if nobody sets another. */
export const defaultMaxTurns = 25;

function programOf(name: RunnerName): string {
  return name === codexSdk ? 'codex' : backendEntry(name).command;
}
