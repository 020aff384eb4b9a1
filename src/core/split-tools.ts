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
