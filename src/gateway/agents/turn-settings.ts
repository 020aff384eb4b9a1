import { resolve } from 'node:path';
import { type AnyBackendName, findBackendName } from '../../backends/registry.js';
import { type QueueMode, queueModes } from '../../config/settings.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import { parseThinking, type Thinking } from '../../core/thinking.js';
import type { ChannelState } from '../../store/rows.js';
import type { GatewayConfig } from '../config.js';
import type { ChannelConfig } from '../persona/markdown-config-loader.js';

/** Settings from the chat (`/backend`, `/model`, `/thinking`, `/queue`) are stronger than those of files and of the environment. */
export type Chosen = Pick<ChannelState, 'backend' | 'model' | 'thinking' | 'queueMode'>;

/** The settings that a turn of a channel is run with. */
export interface TurnSettings {
  readonly backend: AnyBackendName;
  readonly model?: string | undefined;
  readonly thinking?: Thinking | undefined;
  readonly cwd: string;
  /** Undefined if the channel names none of its own. */
  readonly tools?: readonly string[] | undefined;
  readonly queueMode: QueueMode;
  readonly permissionMode: PermissionMode;
  readonly live: boolean;
  /** Hooks decide about each tool before it runs: the turn is a live one, whatever the settings say. */
  readonly confirmTools: boolean;
  /** A person may be asked what the permission mode does not allow by itself; otherwise that is refused. */
  readonly asksPerson: boolean;
  /** The mistakes in the channel's files; the rest of the files counts. */
  readonly problems: readonly string[];
  /** Those of the problems that no turn can be run with. */
  readonly unusable: readonly string[];
}

export function turnSettings(
  config: GatewayConfig,
  files: ChannelConfig,
  chosen: Chosen,
  confirmTools = false,
): TurnSettings {
  const { settings } = files;
  const backend =
    (chosen.backend && findBackendName(chosen.backend)) || settings.backend || config.agentBackend;
  const permissionMode = settings.permissionMode ?? config.permissionMode;
  return {
    backend,
    model: chosen.model ?? modelFor(backend, config, files),
    thinking: parseThinking(chosen.thinking ?? '') ?? thinkingFor(backend, config, files),
    cwd: settings.cwd === undefined ? config.workingDir : resolve(config.workingDir, settings.cwd),
    tools: settings.tools,
    queueMode: queueModes.find((mode) => mode === chosen.queueMode) ?? settings.queueMode ?? config.queueMode,
    permissionMode,
    live: config.backendLive || permissionMode === 'ask' || confirmTools,
    confirmTools,
    asksPerson: config.backendLive || permissionMode === 'ask',
    problems: files.problems,
    unusable: files.unusable,
  };
}

/** Likewise a depth of thinking: another CLI may not have it. */
function thinkingFor(
  backend: AnyBackendName,
  config: GatewayConfig,
  { settings }: ChannelConfig,
): Thinking | undefined {
  return backend === (settings.backend ?? config.agentBackend) ? settings.thinking : undefined;
}

/** A model belongs to the backend that it was named for. */
function modelFor(
  backend: AnyBackendName,
  config: GatewayConfig,
  { settings }: ChannelConfig,
): string | undefined {
  if (settings.model !== undefined && backend === (settings.backend ?? config.agentBackend))
    return settings.model;
  return backend === config.agentBackend ? config.backendModel : undefined;
}
