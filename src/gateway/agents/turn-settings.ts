import { resolve } from 'node:path';
import { type BackendName, backendNames } from '../../backends/registry.js';
import { type QueueMode, queueModes } from '../../config/settings.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import type { ChannelState } from '../../store/rows.js';
import type { GatewayConfig } from '../config.js';
import type { ChannelConfig } from '../persona/markdown-config-loader.js';

/** What was set in the chat with `/backend`, `/model` and `/queue`: stronger than files and settings. */
export type Chosen = Pick<ChannelState, 'backend' | 'model' | 'queueMode'>;

/** What a turn of a channel is run with. */
export interface TurnSettings {
  readonly backend: BackendName;
  readonly model?: string | undefined;
  readonly cwd: string;
  /** Only where the channel names its own. */
  readonly tools?: readonly string[] | undefined;
  readonly queueMode: QueueMode;
  readonly permissionMode: PermissionMode;
  readonly live: boolean;
  /** What is wrong with the channel's files; the rest of them counts. */
  readonly problems: readonly string[];
  /** Those of them that no turn can be run with. */
  readonly unusable: readonly string[];
}

export function turnSettings(config: GatewayConfig, files: ChannelConfig, chosen: Chosen): TurnSettings {
  const { settings } = files;
  const backend =
    backendNames.find((name) => name === chosen.backend) ?? settings.backend ?? config.agentBackend;
  const permissionMode = settings.permissionMode ?? config.permissionMode;
  return {
    backend,
    model: chosen.model ?? modelFor(backend, config, files),
    cwd: settings.cwd === undefined ? config.workingDir : resolve(config.workingDir, settings.cwd),
    tools: settings.tools,
    queueMode: queueModes.find((mode) => mode === chosen.queueMode) ?? settings.queueMode ?? config.queueMode,
    permissionMode,
    live: config.backendLive || permissionMode === 'ask',
    problems: files.problems,
    unusable: files.unusable,
  };
}

/** A model belongs to the backend that it was named for. */
function modelFor(
  backend: BackendName,
  config: GatewayConfig,
  { settings }: ChannelConfig,
): string | undefined {
  if (settings.model !== undefined && backend === (settings.backend ?? config.agentBackend))
    return settings.model;
  return backend === config.agentBackend ? config.backendModel : undefined;
}
