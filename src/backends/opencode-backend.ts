import { join } from 'node:path';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import { type Invocation, keepByteOrderMark } from './one-shot/invocation.js';
import type { JsonObject } from './one-shot/json-lines.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { mcpServers, mergedConfig } from './opencode/config.js';
import { type OpenCodeState, openCodeDecoder } from './opencode/decoder.js';
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
    return (await import('./opencode/live.js')).openCodeLive;
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

/**
 * Its permissions by tool: the last rule that matches decides, in the order of the keys, and a key that a settings file
 * has too keeps its place there. So every tool that is to be denied is denied by its name as well, and on the agent,
 * whose rules come after those of the settings (measured with 1.18.33).
 */
function permissions(turn: Turn): JsonObject {
  const denied = new Set(turn.disallowedTools);
  // A call that would have to be asked for ends the whole turn without an answer.
  if (turn.permissionMode !== 'bypass') denied.add('bash');
  const only = turn.allowedTools.length > 0;
  if (only) for (const tool of knownTools) if (!turn.allowedTools.includes(tool)) denied.add(tool);
  const rules = Object.fromEntries([
    ...(only ? [['*', 'deny']] : []),
    ...turn.allowedTools.filter((tool) => !denied.has(tool)).map((tool) => [tool, 'allow']),
    ...[...denied].map((tool) => [tool, 'deny']),
  ]);
  if (Object.keys(rules).length === 0) return {};
  return { permission: rules, agent: { build: { permission: rules }, plan: { permission: rules } } };
}

/** Of 1.18.33. `edit` stands for all tools that change files. */
const knownTools = [
  ...['bash', 'edit', 'write', 'patch', 'read', 'glob', 'grep', 'list', 'lsp', 'task', 'skill'],
  ...['webfetch', 'websearch', 'codesearch', 'todowrite', 'todoread', 'question'],
];
