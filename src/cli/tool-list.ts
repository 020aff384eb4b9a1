/**
 * Splits a list of tools at commas and blanks, as Claude does, but not inside the brackets of a rule: `Bash(git log:*), Edit` is
 * two. Undefined if a bracket is left open.
 */
export function splitTools(list: string): readonly string[] | undefined {
  const tools: string[] = [];
  let tool = '';
  let depth = 0;
  for (const character of list) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      tools.push(tool);
      tool = '';
    } else tool += character;
  }
  if (depth > 0) return undefined;
  return [...tools, tool].filter((name) => name !== '');
}

/**
 * True if a word can only be meant as tools. Claude's lists go on until the next option and so swallow a prompt; here a word
 * that is no tool ends the list.
 */
export function looksLikeTools(word: string): boolean {
  const tools = splitTools(word);
  return tools !== undefined && tools.length > 0 && tools.every(looksLikeTool);
}

function looksLikeTool(tool: string): boolean {
  const [name = ''] = tool.split('(', 1);
  if (/^mcp__\w/.test(name) || knownTools.has(name)) return true;
  if (tool !== name) return /^\w+\(.*\)$/s.test(tool);
  // Two humps, such as NotebookEdit: a tool that is not known yet rather than a prompt of one word.
  return /^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/.test(name);
}

/** The tools of Claude Code 2.1.325 and of OpenCode 1.18.33 whose names are one word. */
const knownTools: ReadonlySet<string> = new Set([
  ...['Agent', 'Bash', 'Edit', 'Glob', 'Grep', 'LS', 'LSP', 'Monitor', 'Read', 'Skill', 'Task', 'Write'],
  ...['bash', 'edit', 'write', 'patch', 'read', 'glob', 'grep', 'list', 'lsp', 'task', 'skill'],
  ...['webfetch', 'websearch', 'codesearch', 'todowrite', 'todoread', 'question'],
]);
