import { asObject, asString, type JsonObject } from '../../src/lab/model/json.js';
import type { Fact } from './facts.js';

/** Reads one `ThreadEvent` of the SDK, in its own words for tools. */
export function readCodexEvent(event: JsonObject): readonly Fact[] {
  switch (event['type']) {
    case 'thread.started':
      return [{ type: 'session', id: asString(event['thread_id']) }];
    case 'item.started':
      return readItem(asObject(event['item']), 'started');
    case 'item.completed':
      return readItem(asObject(event['item']), 'completed');
    case 'turn.completed':
      return [usageOf(asObject(event['usage']))];
    case 'error': {
      const message = asString(event['message']);
      return [message.startsWith('Reconnecting') ? { type: 'retry' } : { type: 'notice', message }];
    }
    default:
      return [];
  }
}

function readItem(item: JsonObject, phase: 'started' | 'completed'): readonly Fact[] {
  switch (item['type']) {
    case 'agent_message':
      return [{ type: 'text', text: asString(item['text']) }];
    case 'reasoning':
      return [{ type: 'thinking', text: asString(item['text']) }];
    case 'error':
      return [{ type: 'notice', message: asString(item['message']) }];
    case 'command_execution':
      return tool(item, phase, { command: item['command'] }, asString(item['aggregated_output']));
    case 'file_change':
      return tool(item, phase, { changes: item['changes'] }, '');
    default:
      return [{ type: 'notice', message: `an item of the type ${item['type']}` }];
  }
}

function tool(item: JsonObject, phase: string, input: unknown, output: string): readonly Fact[] {
  const id = asString(item['id']);
  return phase === 'started'
    ? [{ type: 'tool', id, name: asString(item['type']), input }]
    : [{ type: 'output', id, output, isError: item['status'] === 'failed' }];
}

function usageOf(usage: JsonObject): Fact {
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  return { type: 'usage', input: Number(input), cached: Number(cached), output: Number(output) };
}
