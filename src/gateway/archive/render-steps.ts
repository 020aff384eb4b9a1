import type { ChatEvent } from '../../core/chat-event.js';
import { duration } from '../../core/format.js';
import { printJson } from '../../core/json.js';
import { code, oneLine, quote } from '../../core/text.js';
import type { StoredTurn, ToolRecord } from '../../store/rows.js';

/** Renders a turn's steps before its answer: texts, tools, questions and notices, in their order. */
export function renderSteps(turn: StoredTurn, events: readonly ChatEvent[]): readonly string[] {
  const records = new Map(turn.tools.map((tool) => [tool.id, tool]));
  const ends = new Map(events.flatMap((event) => (event.type === 'tool_end' ? [[event.id, event]] : [])));
  const questions = new Map<string, string>();
  const blocks: string[] = [];
  let words = '';
  let lines: string[] = [];
  const closeLines = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
  };
  const addLine = (line: string) => {
    if (words.trim() !== '') {
      closeLines();
      blocks.push(quote(words));
    }
    words = '';
    lines.push(`- ${line}`);
  };
  for (const event of events) {
    switch (event.type) {
      case 'text':
        words += event.text;
        break;
      case 'tool_start': {
        const record = records.get(event.id);
        records.delete(event.id);
        addLine(toolLine(event.name, event.input, ends.get(event.id)?.isError ?? record?.isError, record));
        break;
      }
      case 'permission_request':
        questions.set(event.id, event.tool);
        break;
      case 'permission_resolved':
        addLine(`permission for ${code(questions.get(event.id) ?? event.id)}: ${oneLine(event.decision)}`);
        break;
      case 'notice':
        addLine(`${event.level === 'warning' ? 'warning' : 'notice'}: ${code(event.message, 300)}`);
        break;
      default:
        break;
    }
  }
  // Tools that only the journal has: the gateway ended before the turn's events were stored.
  for (const tool of records.values()) addLine(toolLine(tool.name, tool.input, tool.isError, tool));
  closeLines();
  return blocks;
}

/** The agent's text after its last tool: the answer, if no message holds it. */
export function textAfterLastTool(events: readonly ChatEvent[]): string {
  let words = '';
  for (const event of events) {
    if (event.type === 'complete') return event.text;
    if (event.type === 'tool_start') words = '';
    if (event.type === 'text') words += event.text;
  }
  return words;
}

function toolLine(
  name: string,
  input: unknown,
  isError: boolean | undefined,
  record: ToolRecord | undefined,
): string {
  const ended = isError === undefined ? 'not ended' : isError ? 'error' : 'ok';
  const took = record?.endedAt === undefined ? [] : [duration(record.endedAt - record.startedAt)];
  const given = shortInput(input);
  return [`${code(name, 60)}${given === '' ? '' : ` ${code(given, 160)}`}`, ended, ...took].join(' · ');
}

/** The text of an input that has only one (a command, a path); else its JSON. */
export function shortInput(input: unknown): string {
  if (input === undefined || input === null) return '';
  if (typeof input === 'string') return oneLine(input, 160);
  const values = typeof input === 'object' ? Object.values(input) : [];
  if (values.length === 1 && typeof values[0] === 'string') return oneLine(values[0], 160);
  const json = printJson(input);
  return json === '{}' || json === '[]' ? '' : oneLine(json, 160);
}
