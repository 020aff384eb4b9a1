import { statSync } from 'node:fs';
import type { DescribedContext, LiveProtocol } from '../../live/types.js';
import { openCodeAdvice } from '../advice.js';
import { mcpServers, mergedConfig, openCodeThinking } from '../config.js';
import { newPassword, openCodeCommand, startOpenCode } from './process.js';

export interface OpenCodeLiveSettings {
  /** `false` switches off OpenCode's undo, which takes half of a short turn's time. By default the user's setting holds. */
  readonly snapshot?: boolean;
}

/** OpenCode over its server (S5), measured with 1.18.33: one process for any number of sessions and directories. */
export function createOpenCodeLive(settings: OpenCodeLiveSettings = {}): LiveProtocol {
  async function configFor(mcpConfig: string | undefined, { env }: DescribedContext): Promise<string> {
    const config = {
      ...settings,
      ...(mcpConfig === undefined ? {} : { mcp: await mcpServers(mcpConfig, env) }),
      // Denying one of several calls denies them all: the model should hear of it, not fall silent.
      experimental: { continue_loop_on_deny: true },
    };
    return mergedConfig(config, env['OPENCODE_CONFIG_CONTENT']);
  }

  return {
    sessionsPerProcess: 'many',
    advice: openCodeAdvice,
    capabilities: {
      thinking: true,
      thinkingDepth: openCodeThinking,
      permissionModes: ['bypass', 'ask', 'edits', 'plan'],
      decisions: ['allow', 'allow_always', 'deny'],
      setModel: true,
      setPermissionMode: true,
      // OpenCode's `steps` only asks the model to stop.
      maxTurns: false,
      allowedTools: true,
      disallowedTools: true,
      mcpConfig: true,
      confirmTools: true,
      steer: true,
    },

    /** All options but the MCP servers are a session's own. */
    processKey({ mcpConfig }) {
      if (mcpConfig === undefined) return 'opencode';
      const changed = statSync(mcpConfig, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return `opencode ${mcpConfig} ${changed}`;
    },

    async describe({ mcpConfig }, context) {
      return openCodeCommand(await configFor(mcpConfig, context), newPassword(), context);
    },

    async start({ mcpConfig }, context) {
      return startOpenCode(await configFor(mcpConfig, context), context);
    },
  };
}

export const openCodeLive: LiveProtocol = createOpenCodeLive();
