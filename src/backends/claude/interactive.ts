import { join } from 'node:path';
import type {
  InteractiveCommand,
  InteractiveContext,
  InteractiveOptions,
  InteractiveUi,
} from '../launch/interactive.js';
import {
  allowedToolFlags,
  claudeThinking,
  effectiveMode,
  permissionFlags,
  thinkingFlags,
} from './arguments.js';
import { hasSnapshots, snapshotFlag } from './versions.js';

/** Claude Code's own terminal UI, measured with 2.1.325. */
export const claudeInteractive: InteractiveUi = {
  capabilities: {
    // `--max-turns` works with `--print` only.
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    settings: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    thinkingDepth: claudeThinking,
  },
  command: interactiveCommand,
};

function interactiveCommand(options: InteractiveOptions, context: InteractiveContext): InteractiveCommand {
  const { prompt, systemPrompt, model, sessionId, permissionMode, allowedTools } = options;
  const systemPromptFile = join(context.scratch, 'system-prompt.md');
  const mode = permissionMode && effectiveMode({ permissionMode, allowedTools });
  const args: string[] = [];
  if (mode !== undefined) args.push(...permissionFlags[mode]);
  if (systemPrompt !== '') args.push('--append-system-prompt-file', systemPromptFile);
  if (model) args.push('--model', model);
  if (sessionId !== undefined) {
    args.push('--resume', sessionId);
    // A session keeps the system prompt of its first turn unless the snapshot is off.
    if (systemPrompt !== '' && hasSnapshots(context.version)) args.push(snapshotFlag, 'off');
  }
  args.push(...allowedToolFlags(allowedTools, options.rawArgs));
  for (const tool of options.disallowedTools) args.push('--disallowedTools', tool);
  if (options.mcpConfig !== undefined) args.push('--mcp-config', options.mcpConfig);
  if (options.settings !== undefined) args.push('--settings', options.settings);
  args.push(...thinkingFlags(options.thinking), ...options.rawArgs);
  if (prompt !== undefined) args.push('--', withoutSubcommand(prompt));
  return {
    args,
    env: {
      // Set inside Claude Code's own tools: a UI that is started from there is not nested in it.
      CLAUDECODE: undefined,
      CLAUDE_CODE_ENTRYPOINT: undefined,
      // As root Claude refuses to skip permissions unless it is told that this is a sandbox.
      ...(mode === 'bypass' && process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
    },
    ...(systemPrompt === '' ? {} : { files: [{ path: systemPromptFile, content: systemPrompt }] }),
  };
}

/**
 * A prompt that is one bare word may be a subcommand, also behind `--`: `claude -- update` installs a new Claude (2.1.325).
 * Which words are commands differs from version to version, so every such prompt gets a space in front.
 */
function withoutSubcommand(prompt: string): string {
  return /^[\w-]+$/.test(prompt) && !prompt.startsWith('-') ? ` ${prompt}` : prompt;
}
