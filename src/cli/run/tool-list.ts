import { splitTools } from '../../core/split-tools.js';

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
