import { deniedOpenCodeTool, openCodeTool } from './tool-names.js';

export type RuleAction = 'allow' | 'ask' | 'deny';

/**
 * OpenCode's permissions by tool: the last rule that matches decides, in the order of the keys, and a key that a settings
 * file has too keeps its place there. So every tool that is to be denied is denied by its name as well (measured with 1.18.33).
 * An empty list of allowed tools allows them all. Tools may have Claude's names.
 */
export function toolRules(
  allowedTools: readonly string[],
  disallowedTools: readonly string[],
  actionFor: (tool: string) => RuleAction = () => 'allow',
): Readonly<Record<string, RuleAction>> {
  const allowed = allowedTools.map(openCodeTool);
  const denied = new Set(disallowedTools.map(deniedOpenCodeTool));
  const only = allowed.length > 0;
  if (only) for (const tool of knownTools) if (!allowed.includes(tool)) denied.add(tool);
  return Object.fromEntries([
    ...(only ? [['*', 'deny']] : []),
    ...allowed.filter((tool) => !denied.has(tool)).map((tool) => [tool, actionFor(tool)]),
    ...[...denied].map((tool) => [tool, 'deny']),
  ]);
}

/** The rules as settings. They are also the agents' own, which come after those of the settings. */
export function permissionConfig(
  rules: Readonly<Record<string, RuleAction>>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(rules).length === 0) return {};
  return { permission: rules, agent: { build: { permission: rules }, plan: { permission: rules } } };
}

/** The tools of 1.18.33. `edit` stands for all tools that change files. */
const knownTools = [
  ...['bash', 'edit', 'write', 'patch', 'read', 'glob', 'grep', 'list', 'lsp', 'task', 'skill'],
  ...['webfetch', 'websearch', 'codesearch', 'todowrite', 'todoread', 'question'],
];
