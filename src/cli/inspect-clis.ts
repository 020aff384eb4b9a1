import { childEnvironment } from '../backends/launch/child-environment.js';
import { type BackendName, backendNames, backends, createBackend } from '../backends/registry.js';
import type { BackendCapabilities } from '../backends/types.js';
import type { Environment } from '../config/home-directory.js';
import { agentEnvironment, backendConfig, type GatewayConfig } from '../gateway/config.js';
import { findExecutable } from '../process/find-executable.js';
import { describeExit, startProcess } from '../process/start-process.js';

export interface CliReport {
  readonly backend: BackendName;
  readonly usable: boolean;
  readonly path: string;
  readonly version?: string;
  readonly problem?: string;
  readonly install: string;
  readonly capabilities: BackendCapabilities;
}

/** The timeout allows for a slow first start: OpenCode's takes 25 s on a fresh home. */
const versionTimeoutMs = 40_000;

export async function inspectClis(
  config: GatewayConfig,
  environment: Environment,
): Promise<readonly CliReport[]> {
  return Promise.all(backendNames.map((name) => inspect(name, config, environment)));
}

async function inspect(
  name: BackendName,
  config: GatewayConfig,
  environment: Environment,
): Promise<CliReport> {
  const { command, npmPackage } = backends[name];
  const cliPath = name === config.agentBackend ? config.backendCliPath : command;
  const facts = {
    backend: name,
    install: `npm install -g ${npmPackage}`,
    capabilities: createBackend(name, backendConfig(config)).capabilities,
  };
  const found = await findExecutable(cliPath, environment);
  if ('problem' in found) {
    return {
      ...facts,
      usable: false,
      path: found.path,
      problem: `${found.path}: ${problems[found.problem]}`,
    };
  }
  try {
    return {
      ...facts,
      usable: true,
      path: found.path,
      version: await readVersion(found.path, config, environment),
    };
  } catch (error) {
    return {
      ...facts,
      usable: false,
      path: found.path,
      problem: `${found.path}: ${(error as Error).message}`,
    };
  }
}

const problems = {
  missing: 'not found',
  not_executable: 'not executable',
  is_directory: 'a directory, not a program',
} as const;

async function readVersion(path: string, config: GatewayConfig, environment: Environment): Promise<string> {
  // A CLI reads the settings of the directory that it is started in, which may be anybody's repository.
  const child = await startProcess({
    command: path,
    args: ['--version'],
    cwd: '/',
    env: childEnvironment(agentEnvironment(config, environment) ?? environment),
    user: config.agentUser,
  });
  const timer = setTimeout(() => void child.end(), versionTimeoutMs);
  try {
    const lines: string[] = [];
    for await (const batch of child.lines()) lines.push(...batch.map((line) => line.text));
    const exit = await child.exited;
    if (exit.code !== 0)
      throw new Error(`--version failed (${describeExit(exit)}): ${child.stderr().slice(0, 200).trim()}`);
    return lines.find((line) => /\d+\.\d+/.test(line))?.trim() ?? 'unknown version';
  } finally {
    clearTimeout(timer);
    await child.end();
  }
}
