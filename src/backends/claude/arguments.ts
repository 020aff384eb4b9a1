import type { PermissionMode } from '../../core/permission-mode.js';
import type { TakenThinking, Thinking } from '../../core/thinking.js';

// Arguments that a one-shot run and a live process of Claude Code share.

export const permissionFlags: Readonly<Record<PermissionMode, readonly string[]>> = {
  bypass: ['--dangerously-skip-permissions'],
  edits: ['--permission-mode', 'acceptEdits'],
  plan: ['--permission-mode', 'plan'],
  ask: ['--permission-mode', 'default'],
};

/**
 * Models with levels of effort take a level and ignore a budget, older ones (Sonnet 4.5) the other way round (2.1.325). The
 * newest ones always think: `--max-thinking-tokens 0` turns nothing off there, so `off` is not offered.
 */
export const claudeThinking: readonly TakenThinking[] = ['low', 'medium', 'high', 'xhigh', 'max', 'tokens'];

export function thinkingFlags(thinking: Thinking | undefined): readonly string[] {
  if (thinking === undefined) return [];
  return typeof thinking === 'number' ? ['--max-thinking-tokens', String(thinking)] : ['--effort', thinking];
}

/**
 * Each step as a line, and text as it is written, also for a turn that nobody watches: Claude's plain `json` has nothing before the
 * end, so that neither its retries after a 401, which take three minutes (2.1.325), nor a model that hangs could be told from work.
 */
export const streamFormat: readonly string[] = [
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
];

/** In bypass mode a rule such as `Bash(git:*)` restricts nothing: then what is not listed is refused instead. */
export function effectiveMode(wanted: {
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
}): PermissionMode {
  return wanted.permissionMode === 'bypass' && wanted.allowedTools.some(isRule)
    ? 'ask'
    : wanted.permissionMode;
}

/** True for a tool with a rule about its input: `Bash(git:*)`. */
export function isRule(tool: string): boolean {
  return tool.includes('(');
}

/** With it a session that is resumed goes on under a new id. */
export const forkFlag = '--fork-session';

/**
 * `--allowedTools` alone takes no tool away; `--tools` does, and wants bare names (MCP tools are not its business). One among the
 * caller's own arguments counts alone: Claude adds up what several name.
 */
export function allowedToolFlags(
  tools: readonly string[],
  rawArgs: readonly string[] = [],
): readonly string[] {
  if (tools.length === 0) return [];
  const allowed = tools.flatMap((tool) => ['--allowedTools', tool]);
  if (rawArgs.some((argument) => /^--tools(=|$)/.test(argument))) return allowed;
  const names = tools.map((tool) => tool.replace(/\(.*$/s, '')).filter((name) => !name.startsWith('mcp__'));
  return [...allowed, '--tools', [...new Set(names)].join(',')];
}

/** Variables on top of the inherited environment; `undefined` takes one away. */
export function claudeEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  mode: PermissionMode,
): Record<string, string | undefined> {
  return {
    // Set inside Claude Code's own tools: a turn started from there is not nested in it.
    CLAUDECODE: undefined,
    CLAUDE_CODE_ENTRYPOINT: undefined,
    // The model gets the prompt as it was typed: `@name` does not attach a file.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: inherited['CLAUDE_CODE_DISABLE_FILE_MENTIONS'] ?? '1',
    // As root Claude refuses to skip permissions unless it is told that this is a sandbox.
    ...(mode === 'bypass' && process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  };
}

/** A message that is marked as not typed reaches the model as it is: no slash command, no `@file` (2.1.325; undocumented). */
export function userMessage(content: string): Readonly<Record<string, unknown>> {
  return { type: 'user', message: { role: 'user', content }, text_not_typed: true };
}
