/**
 * OpenCode's name of a tool that may be written as Claude writes it: agents' files have Claude's names. A rule such as
 * `Bash(rm:*)` has no counterpart here.
 */
export function openCodeTool(written: string): string {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(written) ?? [];
  // OpenCode puts the name of the MCP server in front of its tools.
  if (server !== undefined) return `${server}_${tool ?? '*'}`;
  return claudeNames.get(written) ?? written;
}

const claudeNames: ReadonlyMap<string, string> = new Map([
  ...[
    'Bash',
    'Edit',
    'Glob',
    'Grep',
    'LSP',
    'Read',
    'Skill',
    'Task',
    'TodoWrite',
    'WebFetch',
    'WebSearch',
    'Write',
  ].map((name) => [name, name.toLowerCase()] as const),
  ['Agent', 'task'],
  ['AskUserQuestion', 'question'],
  ['LS', 'list'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
]);

/** The tool to take away for a word in a list of denied ones: a rule takes its whole tool away, which is the safe side. */
export function deniedOpenCodeTool(written: string): string {
  return openCodeTool(written.replace(/\(.*$/s, ''));
}
