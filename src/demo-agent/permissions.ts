import type { Options } from './arguments.js';
import { type ToolInput, type ToolName, toolNames } from './step.js';

export type Permission =
  | { readonly type: 'allow'; readonly input: ToolInput }
  | {
      readonly type: 'deny';
      readonly message: string;
      /** `mode`: the mode denied it and nobody was asked. `interrupt`: the denial ends the turn. */
      readonly by?: 'mode' | 'interrupt';
    };

/** Decides whether a tool may be used. A one-shot run decides by its flags; a live one can ask its client. */
export type Permit = (tool: ToolName, input: ToolInput, toolUseId: string) => Promise<Permission>;

export const permissionModes = [
  'acceptEdits',
  'auto',
  'bypassPermissions',
  'default',
  'dontAsk',
  'plan',
] as const;

const effects: Readonly<Record<ToolName, 'none' | 'edit' | 'command'>> = {
  LS: 'none',
  Read: 'none',
  Write: 'edit',
  Edit: 'edit',
  TodoWrite: 'none',
  Bash: 'command',
};

/** `--tools` names the available tools, `--disallowedTools` removes some of them. */
export function availableTools(options: Options): readonly ToolName[] {
  const only = options.tools === undefined ? undefined : namesIn(options.tools);
  const without = namesIn(options.disallowedTools);
  return toolNames.filter(
    (tool) => (only === undefined || only.has('default') || only.has(tool)) && !without.has(tool),
  );
}

/** Decides by the mode and the tools that are allowed in any case, before anybody is asked. */
export function verdictOf(
  tool: ToolName,
  mode: string,
  allowed: ReadonlySet<string>,
): 'allow' | 'ask' | 'deny' {
  const effect = effects[tool];
  if (effect === 'none' || mode === 'bypassPermissions') return 'allow';
  if (mode === 'plan') return 'deny';
  if (allowed.has(tool) || (mode === 'acceptEdits' && effect === 'edit')) return 'allow';
  return mode === 'dontAsk' ? 'deny' : 'ask';
}

/** Denies a tool that would need a question, because nobody can be asked. */
export function permitByFlags(options: Options): Permit {
  const allowed = namesIn(options.allowedTools);
  return async (tool, input) =>
    verdictOf(tool, options.permissionMode, allowed) === 'allow'
      ? { type: 'allow', input }
      : refusal(tool, input, options.permissionMode);
}

export function refusal(tool: ToolName, input: ToolInput, mode: string): Permission {
  const what = effects[tool] === 'edit' ? `Writing ${input['file_path']}` : `Using ${tool}`;
  const messages: Readonly<Record<string, string>> = {
    plan: `${what} is not possible in plan mode, which is read only.`,
    dontAsk: `Permission to use ${tool} has been denied because Claude Code is running in don't ask mode.`,
  };
  return {
    type: 'deny',
    message: messages[mode] ?? `${what} needs a permission that was not granted.`,
    by: 'mode',
  };
}

/**
 * Reads the tools' names: `Read Write` and `Read,Write` both name two. A rule such as `Bash(git:*)` is about
 * some uses only, so it is no name.
 */
export function namesIn(rules: readonly string[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap((rule) => rule.replace(/\w+\([^)]*\)/g, '').split(/[\s,]+/)).filter((name) => name !== ''),
  );
}
