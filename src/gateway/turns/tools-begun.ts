import { isDeepStrictEqual } from 'node:util';
import { printJson } from '../../core/json.js';
import type { ToolRecord } from '../../store/rows.js';

interface Question {
  readonly tool: string;
  readonly input: unknown;
}

/**
 * The tools that may have done something. A CLI may announce a tool before it asks for permission: as long as nobody has
 * answered, that tool has done nothing.
 */
export function begunTools(
  tools: readonly ToolRecord[],
  questions: readonly Question[],
): readonly ToolRecord[] {
  const waiting = new Set<ToolRecord | undefined>();
  for (const question of questions) {
    const open = tools.filter((tool) => tool.endedAt === undefined && !waiting.has(tool));
    waiting.add(toolOf(question, open));
  }
  return tools.filter((tool) => !waiting.has(tool));
}

/**
 * The announced tool that a question is about. Undefined if none fits: another tool that runs meanwhile must not be taken
 * for one that waits.
 */
export function toolOf(question: Question, open: readonly ToolRecord[]): ToolRecord | undefined {
  const named = open.filter((tool) => tool.name === question.tool);
  return named.find((tool) => isDeepStrictEqual(tool.input, question.input)) ?? named.at(-1);
}

/** Lists the tools for a reader, each with its input and its end. */
export function describeTools(tools: readonly ToolRecord[]): string {
  const lines = tools
    .slice(0, 20)
    .map((tool) => `- ${tool.name} ${shortInput(tool.input)} (${stateOf(tool)})`);
  if (tools.length > 20) lines.push(`- and ${tools.length - 20} more`);
  return lines.join('\n');
}

function shortInput(input: unknown): string {
  const text = input === undefined ? '' : printJson(input);
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}

function stateOf(tool: ToolRecord): string {
  if (tool.endedAt === undefined) return 'begun, end unknown';
  return tool.isError ? 'failed' : 'done';
}
