import type { StepEvent } from '../../core/chat-event.js';
import type { JsonObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';

// The items of `codex exec --json` that are tools. Those of the app-server are put into this format first.

export function itemKind(item: JsonObject): string {
  return text(item['type']) || text(item['item_type']);
}

export function toolStart(item: JsonObject): StepEvent & { type: 'tool_start' } {
  return { type: 'tool_start', id: text(item['id']), ...toolCall(item) };
}

export function toolEnd(item: JsonObject): StepEvent & { type: 'tool_end' } {
  const status = text(item['status']);
  const isError = status === 'failed' || status === 'declined' || Boolean(item['error']);
  const end = { type: 'tool_end' as const, id: text(item['id']), output: toolOutput(item), isError };
  return status === 'declined' ? { ...end, denied: true } : end;
}

/** A plan, as a call of the tool that the model has made it with. */
export function updatedPlan(id: string, plan: readonly JsonObject[], explanation = ''): readonly StepEvent[] {
  const input = { plan, ...(explanation === '' ? {} : { explanation }) };
  return [
    { type: 'tool_start', id, name: 'update_plan', input },
    { type: 'tool_end', id, output: '', isError: false },
  ];
}

function toolCall(item: JsonObject): { name: string; input: unknown } {
  switch (itemKind(item)) {
    case 'command_execution':
      return { name: 'shell', input: { command: item['command'] } };
    case 'file_change':
      return { name: 'apply_patch', input: { changes: item['changes'] } };
    case 'mcp_tool_call':
      return { name: `${text(item['server'])}.${text(item['tool'])}`, input: item['arguments'] ?? {} };
    case 'web_search':
      return { name: 'web_search', input: { query: item['query'] } };
    default:
      return { name: itemKind(item), input: item };
  }
}

function toolOutput(item: JsonObject): string {
  switch (itemKind(item)) {
    case 'command_execution':
      return text(item['aggregated_output']);
    case 'mcp_tool_call':
      return (
        text(object(item['error'])['message']) ||
        objects(object(item['result'])['content'])
          .map((part) => text(part['text']))
          .join('\n')
      );
    case 'file_change':
      return objects(item['changes'])
        .map((change) => `${text(change['kind'])} ${text(change['path'])}`)
        .join('\n');
    default:
      return '';
  }
}
