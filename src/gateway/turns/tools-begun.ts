import { isDeepStrictEqual } from 'node:util';
import { summarizeToolInput } from '../../core/tool-input.js';
import type { ToolRecord } from '../../store/rows.js';

export interface Question {
  readonly tool: string;
  readonly input: unknown;
}

/**
 * The tools that may have done something. A CLI may announce a tool before it asks for permission: as long as nobody has
 * allowed it, that tool has done nothing. The questions are those without a yes.
 */
export function begunTools(
  tools: readonly ToolRecord[],
  questions: readonly Question[],
): readonly ToolRecord[] {
  const explained = new Set<ToolRecord | undefined>();
  for (const question of questions) {
    const left = tools.filter((tool) => !explained.has(tool));
    const denied = left.filter((tool) => tool.denied);
    const open = left.filter((tool) => tool.endedAt === undefined);
    // The question about a tool that is known to be denied must not be taken for one about the same tool, asked for again.
    explained.add(toolOf(question, denied) ?? toolOf(question, open));
  }
  return tools.filter((tool) => !tool.denied && !explained.has(tool));
}

/**
 * The announced tool that a question is about. Undefined if none fits: another tool that runs meanwhile must not be taken
 * for one that waits.
 */
export function toolOf<T extends Pick<ToolRecord, 'name' | 'input'>>(
  question: Question,
  open: readonly T[],
): T | undefined {
  const named = open.filter((tool) => tool.name === question.tool);
  return named.find((tool) => isDeepStrictEqual(tool.input, question.input)) ?? named.at(-1);
}

/** With this many tools in a turn the journal may lack the last ones. */
const maxRead = 50;

/**
 * True if a turn that waits for a permission has only read so far: it may be run again, with its question. `tools` are all of
 * the turn, and `reading` the backend's tools that change nothing.
 */
export function hasOnlyRead(
  tools: readonly ToolRecord[],
  begun: readonly ToolRecord[],
  reading: ReadonlySet<string> = new Set(),
): boolean {
  return tools.length < maxRead && begun.every(({ name }) => reading.has(name));
}

/** Lists the tools for a reader, each with its file or command and its end. */
export function describeTools(tools: readonly ToolRecord[]): string {
  const lines = tools
    .slice(0, 20)
    .map((tool) => `- ${[tool.name, shortInput(tool)].join(' ').trim()} (${stateOf(tool)})`);
  if (tools.length > 20) lines.push(`- and ${tools.length - 20} more`);
  return lines.join('\n');
}

function shortInput({ name, input }: ToolRecord): string {
  return summarizeToolInput(name, input);
}

function stateOf(tool: ToolRecord): string {
  if (tool.endedAt === undefined) return 'begun, end unknown';
  if (tool.denied) return 'denied';
  return tool.isError ? 'failed' : 'done';
}
