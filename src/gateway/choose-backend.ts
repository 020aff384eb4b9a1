import { type AnyBackendName, backendEntry, findBackendName, readBackendName } from '../backends/registry.js';
import { type Environment, given } from '../config/home-directory.js';
import { type SettingOrigins, settingsNotUsed, settingWithOrigin } from '../config/setting-origins.js';
import { TurnoutError } from '../core/errors.js';
import type { GatewayConfig } from './config.js';

/** The flags of a command that choose over the settings. */
export interface ChosenByFlags {
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  /** As ALLOW_UNSUPPORTED. */
  readonly allowUnsupported?: boolean;
  /** The backend that the restrictions were set for, if it is not AGENT_BACKEND's. */
  readonly restrictedFor?: string | undefined;
}

export interface ChosenBackend {
  /** Undefined if there is no such backend. */
  readonly backend: AnyBackendName | undefined;
  /** The backend that the settings are for, as AGENT_BACKEND names it. */
  readonly owner: string;
  /** The settings that count for this backend. */
  readonly settings: Environment;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The backend is that of `--backend`, else of AGENT_BACKEND, else Claude. The path and the model in the settings belong to the
 * backend that AGENT_BACKEND names: a flag that chooses another one leaves them out.
 */
export function chooseBackend(
  settings: Environment,
  flags: ChosenByFlags,
  origins: SettingOrigins = {},
): ChosenBackend {
  const problems: string[] = [];
  const { backend: flag, model } = flags;
  const configured = given(settings['AGENT_BACKEND']);
  // A wrong name that nothing reads is no reason to stop.
  const wrong: string[] = [];
  const readConfigured = (name: string, found: string[]) =>
    orProblem(found, () => readBackendName(name, settingWithOrigin('AGENT_BACKEND', origins)));
  if (flag !== undefined && configured !== undefined) readConfigured(configured, wrong);
  const backend =
    flag !== undefined
      ? orProblem(problems, () => readBackendName(flag, '--backend'))
      : configured === undefined
        ? 'claude'
        : readConfigured(configured, problems);
  const warnings = wrong.map((problem) => `${problem} It is not used: ${flag} was asked for.`);
  const own = model === undefined ? {} : { BACKEND_MODEL: model };
  const ownerWritten = configured ?? 'claude';
  const owner = findBackendName(ownerWritten) ?? ownerWritten;
  if (flag === undefined || backend === undefined || backend === owner)
    return { backend, owner, settings: { ...settings, ...own }, problems, warnings };
  const lost = backendSettings.filter(
    (name) => given(settings[name]) !== undefined && !Object.hasOwn(own, name),
  );
  const without = Object.fromEntries(backendSettings.map((name) => [name, undefined]));
  if (lost.length > 0) warnings.push(settingsNotUsed(lost, owner, backend));
  return { backend, owner, settings: { ...settings, ...without, ...own }, problems, warnings };
}

/** True if the settings have a backend. A path and a model without a name are Claude's. */
export function isBackendChosen(settings: Environment): boolean {
  return ['AGENT_BACKEND', ...backendSettings].some((name) => given(settings[name]) !== undefined);
}

/** Names the settings that don't count for a backend because they are those of AGENT_BACKEND; undefined if there are none. */
export function settingsLeftOut(config: GatewayConfig, backend: AnyBackendName): string | undefined {
  const { agentBackend, backendCliPath, backendModel } = config;
  if (backend === agentBackend) return undefined;
  const lost = [
    ...(backendCliPath === commandOf(agentBackend) ? [] : ['BACKEND_CLI_PATH']),
    ...(backendModel === undefined ? [] : ['BACKEND_MODEL']),
  ];
  return lost.length === 0 ? undefined : settingsNotUsed(lost, agentBackend, backend);
}

/** The program of a backend on PATH. One that was given to the gateway, and is not registered, has only its name. */
export function commandOf(backend: AnyBackendName): string {
  return findBackendName(backend) === undefined ? backend : backendEntry(backend).command;
}

const backendSettings: readonly string[] = ['BACKEND_CLI_PATH', 'BACKEND_MODEL'];

function orProblem<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}
