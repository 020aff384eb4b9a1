import { isChecked } from '../../backends/launch/checked-versions.js';
import { childEnvironment } from '../../backends/launch/child-environment.js';
import { printedVersion, versionIn } from '../../backends/launch/cli-version.js';
import type { FoundCredentials } from '../../backends/launch/credentials.js';
import { type Vetting, vettingAdvice, vettingOf } from '../../backends/launch/vetted.js';
import type { LiveCapabilities } from '../../backends/live/types.js';
import { type AnyBackendName, backendEntry, backendNames, createBackend } from '../../backends/registry.js';
import type { BackendCapabilities, EventBackend } from '../../backends/types.js';
import type { Environment } from '../../config/home-directory.js';
import { type SettingOrigins, settingWithOrigin } from '../../config/setting-origins.js';
import { wholeLine } from '../../core/text.js';
import { agentEnvironment, backendConfig, type GatewayConfig } from '../../gateway/config.js';
import { findExecutable } from '../../process/find-executable.js';

export interface CliReport {
  readonly backend: AnyBackendName;
  readonly usable: boolean;
  readonly path: string;
  /** What the CLI says of its version. */
  readonly version?: string;
  /** Where the version stands among those that passed every scenario of the lab. */
  readonly vetting?: Vetting;
  /** What to do about a version that was not vetted. */
  readonly advice?: string;
  /** True if this version passed `turnout doctor --deep` here. */
  readonly checked?: boolean;
  readonly problem?: string;
  /** Whether there is a key or an account; `unknown` if that can't be told without a network call. */
  readonly signedIn: FoundCredentials['signedIn'];
  /** The kind of key or account; never the key itself. */
  readonly credentials?: string;
  /** What to type to sign in, if nobody is. */
  readonly signIn?: string;
  /** The setting that names the path, with where it is set; undefined for a CLI that is looked up on PATH. */
  readonly setting?: string;
  /** The command that installs the pinned version. */
  readonly install: string;
  readonly capabilities: BackendCapabilities;
  /** Undefined if the CLI has no long-lived mode. */
  readonly live: LiveCapabilities | undefined;
}

/** The timeout allows for a slow first start: OpenCode's takes 25 s on a fresh home. */
const versionTimeoutMs = 40_000;

/** `onWaiting` is told of the CLIs that have not answered yet, when that changes. */
export async function inspectClis(
  config: GatewayConfig,
  environment: Environment,
  origins: SettingOrigins = {},
  onWaiting: (names: readonly AnyBackendName[]) => void = () => undefined,
): Promise<readonly CliReport[]> {
  const waiting = new Set(backendNames());
  onWaiting([...waiting]);
  const inspected = backendNames().map(async (name) => {
    const report = await inspect(name, config, environment, origins);
    waiting.delete(name);
    onWaiting([...waiting]);
    return report;
  });
  return Promise.all(inspected);
}

async function inspect(
  name: AnyBackendName,
  config: GatewayConfig,
  environment: Environment,
  origins: SettingOrigins,
): Promise<CliReport> {
  const { command, npmPackage, install } = backendEntry(name);
  const cliPath = name === config.agentBackend ? config.backendCliPath : command;
  const backend = createBackend(name, backendConfig({ ...config, backendCliPath: cliPath }, environment));
  const facts = {
    backend: name,
    ...(cliPath === command ? {} : { setting: settingWithOrigin('BACKEND_CLI_PATH', origins) }),
    install,
    capabilities: backend.capabilities,
    live: (await backend.live?.())?.capabilities,
    signedIn: 'unknown' as const,
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
    const version = await printedVersion({
      command: found.path,
      env: childEnvironment(agentEnvironment(config, environment) ?? environment),
      user: config.agentUser,
      timeoutMs: versionTimeoutMs,
    });
    return {
      ...facts,
      usable: true,
      path: found.path,
      version,
      // The demo agent needs none.
      ...(isDemoAgent(version) ? {} : await accountOf(backend)),
      ...standing(name, version, npmPackage, config.home),
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

async function accountOf(
  backend: EventBackend,
): Promise<Pick<CliReport, 'signedIn' | 'credentials' | 'signIn'>> {
  // What can't be looked at, such as a home of another user, is not known.
  const found = await backend.credentials?.().catch(() => undefined);
  const { signedIn, credentials } = found ?? { signedIn: 'unknown' as const, credentials: undefined };
  return {
    signedIn,
    ...(credentials === undefined ? {} : { credentials: wholeLine(credentials) }),
    ...(signedIn === 'no' && backend.signIn !== undefined ? { signIn: backend.signIn } : {}),
  };
}

function standing(
  name: AnyBackendName,
  version: string,
  npmPackage: string | undefined,
  home: string,
): Pick<CliReport, 'vetting' | 'advice' | 'checked'> {
  const number = versionIn(version);
  // The demo agent says which version of Claude Code it speaks like, and is none.
  const vetting = isDemoAgent(version) ? undefined : vettingOf(name, number);
  if (vetting === undefined || number === undefined) return {};
  if (vetting === 'vetted') return { vetting };
  if (isChecked(home, name, number)) return { vetting, checked: true };
  return { vetting, advice: vettingAdvice(name, vetting, npmPackage) };
}

export function isDemoAgent(version: string | undefined): boolean {
  return version?.endsWith('(Turnout demo agent)') === true;
}

const problems = {
  missing: 'not found',
  not_executable: 'not executable',
  is_directory: 'a directory, not a program',
} as const;
