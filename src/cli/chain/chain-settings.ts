import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createBackend, findBackendName } from '../../backends/registry.js';
import type { BackendAdapterConfig } from '../../backends/types.js';
import { trustedHome } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { TurnoutError } from '../../core/errors.js';
import { commandOf } from '../../gateway/choose-backend.js';
import {
  backendConfig,
  describeUnkept,
  type GatewayConfig,
  loadConfig,
  settingsLeftOut,
  unkeptSettings,
} from '../../gateway/config.js';
import { type SetRestrictions, setRestrictions } from '../../orchestra/agents/keep-restrictions.js';
import { registerDemoBackend } from '../demo/demo-backend.js';
import { readDemoEnvironment } from '../demo/demo-environment.js';
import { demoHome } from '../demo/demo-home.js';
import { askedRunner } from '../run/asked-runner.js';

/** The settings that a chain is resolved and run with. */
export interface ChainSettings {
  readonly home: string;
  readonly cwd: string;
  readonly defaultBackend: string;
  readonly configFor: (backend: string) => BackendAdapterConfig;
  /** What the person has set for every agent. */
  readonly restrictions: SetRestrictions;
  /** Says that a backend in place of AGENT_BACKEND's can't keep a restriction that is set for that one. */
  readonly unkept: (backend: string, isAllowed: boolean) => string | undefined;
}

export interface ChainPlace {
  readonly cwd?: string | undefined;
  readonly demo: boolean;
}

/** Reads the settings as `turnout run` does; those of a demo are its own. */
export async function chainSettings(place: ChainPlace, warn: (text: string) => void): Promise<ChainSettings> {
  const { config, inherited, asked, restrictedFor, restrictions } = place.demo
    ? demoConfig(place)
    : await ownConfig(place, warn);
  const { workingDir: cwd, home, agentBackend } = config;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TurnoutError('bad_request', `The working directory ${cwd} is not there.`, {
      hint: 'Choose another one with --cwd or WORKING_DIR.',
    });
  }
  const told = new Set<string>();
  const configFor = (backend: string) => {
    const chosen = place.demo ? config : configOf(config, backend);
    const lost = place.demo ? undefined : settingsLeftOut(config, chosen.agentBackend);
    if (lost !== undefined && !told.has(lost)) warn(lost);
    if (lost !== undefined) told.add(lost);
    const made = backendConfig(chosen, inherited);
    // A run of a chain may need more turns than a question: only a limit that somebody has set counts (0: none).
    return config.backendMaxTurnsSet ? made : { ...made, maxTurns: 0 };
  };
  const unkept = (written: string, isAllowed: boolean) => {
    const chosen = configOf(config, written).agentBackend;
    if (place.demo || chosen === (restrictedFor ?? agentBackend)) return undefined;
    const can = createBackend(chosen, configFor(written)).capabilities;
    return describeUnkept(chosen, unkeptSettings(config, can), isAllowed);
  };
  return { home, cwd, defaultBackend: asked ?? agentBackend, configFor, restrictions, unkept };
}

/** The home whose runs are meant. It needs no other setting to be valid. */
export function homeOfRuns({ demo }: Pick<ChainPlace, 'demo'>): string {
  return demo ? demoHome(process.env) : trustedHome(process.env);
}

async function ownConfig({ cwd }: ChainPlace, warn: (text: string) => void) {
  const flags = cwd === undefined ? {} : { WORKING_DIR: cwd };
  const read = await readEnvironment({ environment: process.env, flags, command: 'chain' });
  const { settings, inherited, origins, restrictedFor, warnings } = read;
  const config = loadConfig(settings, {}, origins, 'chain');
  for (const warning of [...warnings, ...config.warnings]) warn(warning);
  const restrictions = setRestrictions(config, origins);
  return { config, inherited, restrictedFor, restrictions, asked: askedRunner(undefined, settings, origins) };
}

function demoConfig({ cwd }: ChainPlace) {
  registerDemoBackend();
  const here = cwd === undefined ? {} : { WORKING_DIR: resolve(cwd) };
  const { settings, inherited } = readDemoEnvironment({
    WORKING_DIR: process.cwd(),
    ...process.env,
    ...here,
  });
  return {
    config: loadConfig(settings),
    inherited,
    asked: undefined,
    restrictedFor: undefined,
    restrictions: {},
  };
}

/** The path and the model of AGENT_BACKEND are not another one's. The SDK of a vendor has the settings of its CLI. */
function configOf(config: GatewayConfig, written: string): GatewayConfig {
  const backend = findBackendName(written.replace(/-sdk$/, ''));
  if (backend === undefined || backend === config.agentBackend) return config;
  const { backendModel: _, ...others } = config;
  return { ...others, agentBackend: backend, backendCliPath: commandOf(backend) };
}
