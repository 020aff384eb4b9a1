import { join } from 'node:path';
import type { PermissionMode } from '../../core/permission-mode.js';
import type {
  InteractiveCommand,
  InteractiveContext,
  InteractiveOptions,
  InteractiveUi,
} from '../launch/interactive.js';
import type { JsonObject } from '../output/json.js';
import { asMcp, mergedConfig } from './config.js';
import { permissionConfig, type RuleAction, toolRules } from './tool-rules.js';
import { allowFlag } from './versions.js';

/** OpenCode's own terminal UI, measured with 1.18.33. */
export const openCodeInteractive: InteractiveUi = {
  capabilities: {
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    // `--variant` is an option of `opencode run` only.
    thinkingDepth: [],
    // With `--session`, `--prompt` is dropped without a word.
    promptOnResume: false,
  },
  command: interactiveCommand,
};

function interactiveCommand(options: InteractiveOptions, context: InteractiveContext): InteractiveCommand {
  const { prompt, systemPrompt, model, sessionId, permissionMode: mode, mcpServers } = options;
  const instructions = join(context.scratch, 'instructions.md');
  const config: JsonObject = {
    ...(systemPrompt === '' ? {} : { instructions: [instructions] }),
    ...(mcpServers.length === 0 ? {} : { mcp: asMcp(mcpServers) }),
    ...permissions(options),
  };
  const args: string[] = [];
  if (mode === 'bypass') args.push(allowFlag);
  if (mode === 'plan') args.push('--agent', 'plan');
  if (model) args.push('--model', model);
  if (sessionId !== undefined) args.push('--session', sessionId);
  args.push(...options.rawArgs);
  // Joined to its option, a prompt that begins with a dash stays one.
  if (prompt !== undefined) args.push(`--prompt=${prompt}`);
  return {
    args,
    env: {
      // OpenCode works where PWD says (1.18.33), which else is the directory of the shell around Turnout.
      PWD: options.cwd,
      ...(Object.keys(config).length === 0
        ? {}
        : { OPENCODE_CONFIG_CONTENT: mergedConfig(config, context.inherited['OPENCODE_CONFIG_CONTENT']) }),
    },
    ...(systemPrompt === '' ? {} : { files: [{ path: instructions, content: systemPrompt }] }),
  };
}

type Rules = Readonly<Record<string, RuleAction>>;

/**
 * OpenCode allows nearly everything by itself, so a mode says what the person is asked about. It has no rule that allows: that
 * would undo what the person's own settings deny.
 */
const askedFor: Readonly<Partial<Record<PermissionMode, Rules>>> = {
  ask: { '*': 'ask' },
  edits: { bash: 'ask', task: 'ask', webfetch: 'ask', websearch: 'ask', codesearch: 'ask' },
};

function permissions({ permissionMode, allowedTools, disallowedTools }: InteractiveOptions): JsonObject {
  const asked: Rules = (permissionMode && askedFor[permissionMode]) ?? {};
  const filter = toolRules(allowedTools, disallowedTools, (tool) => asked[tool] ?? asked['*'] ?? 'allow');
  return permissionConfig({ ...asked, ...filter });
}
