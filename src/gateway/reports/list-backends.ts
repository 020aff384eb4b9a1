import { type AnyBackendName, backendEntry, backendNames, createBackend } from '../../backends/registry.js';
import type { BackendCapabilities, EventBackend } from '../../backends/types.js';
import { TurnoutError } from '../../core/errors.js';
import type { Store } from '../../store/store.js';
import type { Agents } from '../agents/agents.js';
import type { BackendSummary } from '../channels/lookups.js';
import type { GatewayConfig } from '../config.js';

export interface BackendListParts {
  readonly store: Store;
  readonly agents: Pick<Agents, 'adapter' | 'configOf' | 'versionNotice'>;
  readonly config: Pick<GatewayConfig, 'agentBackend' | 'backendLive'>;
}

/** Lists the backends with what the files around their CLIs tell: no CLI is started. The default one comes first. */
export async function listBackends(parts: BackendListParts): Promise<readonly BackendSummary[]> {
  const own = parts.config.agentBackend;
  const used = await parts.store.modelsUsed();
  const names = [own, ...backendNames().filter((name) => name !== own)];
  return Promise.all(
    names.map(async (name) => ({
      ...(await summarize(name, parts)),
      models: used.filter(({ backend }) => backend === name).map(({ model }) => model),
    })),
  );
}

async function summarize(
  name: AnyBackendName,
  parts: BackendListParts,
): Promise<Omit<BackendSummary, 'models'>> {
  const facts = { name, isDefault: name === parts.config.agentBackend, install: installOf(name) };
  let adapter: EventBackend;
  try {
    adapter = adapterOf(name, parts);
  } catch (error) {
    return { ...facts, ...nothing, installed: false, notice: wordsOf(error) };
  }
  const can = { ...facts, ...(await abilities(adapter, parts.config.backendLive)) };
  try {
    const version = (await adapter.locate?.())?.version;
    if (adapter.locate === undefined && !(await adapter.validate()))
      return { ...can, installed: false, notice: `${name} says that it can't be used.` };
    const notice = await noticeOf(name, version, adapter, parts);
    return { ...can, installed: true, version, notice };
  } catch (error) {
    return { ...can, installed: false, notice: wordsOf(error) };
  }
}

/** `Agents` tells the operator of settings that another backend does not get; a look at it is no reason for that. */
function adapterOf(name: AnyBackendName, { agents, config }: BackendListParts): EventBackend {
  return name === config.agentBackend ? agents.adapter(name) : createBackend(name, agents.configOf(name));
}

async function noticeOf(
  name: AnyBackendName,
  version: string | undefined,
  adapter: EventBackend,
  { agents }: BackendListParts,
): Promise<string | undefined> {
  return version === undefined ? agents.versionNotice(name) : adapter.versionNotice?.(version)?.message;
}

async function abilities(adapter: EventBackend, preferLive: boolean) {
  const { capabilities: alone } = adapter;
  const live = (await adapter.live?.())?.capabilities;
  const usual = preferLive ? (live ?? alone) : alone;
  // In ask mode a turn is a live one, whatever the settings say.
  const modes = new Set([...alone.permissionModes, ...(live?.permissionModes ?? [])]);
  return {
    thinkingDepths: usual.thinkingDepth ?? [],
    permissionModes: [...modes],
    options: [
      ...optionNames.filter((option) => usual[option] === true),
      ...(alone.textDeltas ? ['textDeltas'] : []),
      ...(live === undefined ? [] : ['live']),
      ...(live?.steer === true ? ['steer'] : []),
    ],
  };
}

const optionNames = [
  'thinking',
  'maxTurns',
  'allowedTools',
  'disallowedTools',
  'mcpConfig',
  'settings',
] as const satisfies readonly (keyof BackendCapabilities)[];

const nothing = { thinkingDepths: [], permissionModes: [], options: [] };

/** A backend that was given to the gateway, and is not registered, has no command that installs it. */
function installOf(name: AnyBackendName): string {
  return backendNames().includes(name) ? backendEntry(name).install : '';
}

function wordsOf(error: unknown): string {
  if (error instanceof TurnoutError) return error.explanation;
  return error instanceof Error ? error.message : String(error);
}
