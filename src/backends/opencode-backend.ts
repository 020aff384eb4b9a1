import { join } from 'node:path';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import { type Invocation, keepByteOrderMark } from './one-shot/invocation.js';
import type { JsonObject } from './one-shot/json-lines.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { mcpServers, mergedConfig } from './opencode-config.js';
import { type OpenCodeState, openCodeDecoder } from './opencode-decoder.js';
import type { BackendCapabilities, PermissionMode } from './types.js';

/** OpenCode (R5), measured with 1.18.33. */
export class OpenCodeBackend extends OneShotBackend<OpenCodeState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: false,
    thinking: true,
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'opencode',
    label: 'OpenCode',
    install: 'npm install -g opencode-ai',
    noise: [],
  };

  override async live(): Promise<LiveProtocol> {
    return (await import('./opencode-live.js')).openCodeLive;
  }

  /** The prompt is not among them: OpenCode re-quotes its arguments, so a prompt always goes through stdin. */
  buildArgs(_prompt: string, _systemPrompt: string, sessionId?: string): string[] {
    return this.#args({ sessionId, model: this.config.model, permissionMode: 'bypass', rawArgs: [] });
  }

  protected async describe(turn: Turn, scratch: string): Promise<Invocation> {
    const instructions = join(scratch, 'instructions.md');
    const config = {
      ...(turn.systemPrompt === '' ? {} : { instructions: [instructions] }),
      ...(turn.mcpConfig === undefined ? {} : { mcp: await mcpServers(turn.mcpConfig) }),
      ...permissions(turn),
    };
    return {
      args: this.#args(turn),
      stdin: keepByteOrderMark(turn.prompt),
      spool: true,
      env:
        Object.keys(config).length === 0
          ? {}
          : {
              OPENCODE_CONFIG_CONTENT: mergedConfig(
                config,
                turn.env?.['OPENCODE_CONFIG_CONTENT'] ?? this.inherited['OPENCODE_CONFIG_CONTENT'],
              ),
            },
      ...(turn.systemPrompt === '' ? {} : { files: [{ path: instructions, content: turn.systemPrompt }] }),
    };
  }

  protected decoderFor(): WireDecoder<OpenCodeState> {
    return openCodeDecoder;
  }

  #args(parts: {
    sessionId?: string | undefined;
    model?: string | undefined;
    permissionMode: PermissionMode;
    rawArgs: readonly string[];
  }): string[] {
    const args = ['run', '--format', 'json', '--thinking', ...permissionFlags[parts.permissionMode]];
    if (parts.model !== undefined) args.push('--model', parts.model);
    if (parts.sessionId !== undefined) args.push('--session', parts.sessionId, '--continue');
    // A new session without a title costs a model call of its own to find one.
    else args.push('--title', 'turnout');
    args.push(...parts.rawArgs);
    return args;
  }
}

const permissionFlags: Record<PermissionMode, readonly string[]> = {
  bypass: ['--auto'],
  edits: [],
  plan: ['--agent', 'plan'],
  ask: [],
};

/** Its permissions by tool: the last rule that matches decides. */
function permissions(turn: Turn): JsonObject {
  const rules: Record<string, unknown> = {};
  if (turn.permissionMode === 'edits') Object.assign(rules, { bash: 'deny', edit: 'allow' });
  if (turn.allowedTools.length > 0) {
    rules['*'] = 'deny';
    for (const tool of turn.allowedTools) rules[tool] = 'allow';
  }
  for (const tool of turn.disallowedTools) rules[tool] = 'deny';
  return Object.keys(rules).length === 0 ? {} : { permission: rules };
}
