import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import type { RecordEntry } from '../record/types.js';

/**
 * The steps in a rollout of Codex (0.166). The model's call is there before it has an effect, the item of what was run
 * (a command inside a script, a patch) only when it has ended.
 */
export function codexEntries(lines: readonly string[]): readonly RecordEntry[] {
  return lines.flatMap((line): readonly RecordEntry[] => {
    if (line.trim() === '') return [];
    const record = parseObject(line);
    if (record === undefined) return [{ type: 'damaged' }];
    const at = Date.parse(text(record['timestamp'])) || undefined;
    const payload = object(record['payload']);
    if (record['type'] === 'response_item') return responseItem(payload, at);
    return payload['type'] === 'item_completed' ? finishedItem(object(payload['item']), at) : [];
  });
}

function responseItem(item: JsonObject, at: number | undefined): readonly RecordEntry[] {
  const type = text(item['type']);
  const id = text(item['call_id']) || text(item['id']);
  if (type === 'message')
    return item['role'] === 'user' ? [{ type: 'prompt', at, text: contentText(item['content']) }] : [];
  if (type.endsWith('_call')) {
    const input = item['input'] ?? item['arguments'] ?? item['action'] ?? {};
    return [{ type: 'tool', at, id, name: text(item['name']) || type, input }];
  }
  if (type.endsWith('_call_output')) {
    const words = typeof item['output'] === 'string' ? item['output'] : contentText(item['output']);
    const denied = isDenial(words);
    return [{ type: 'tool_end', at, id, isError: denied || words.startsWith('aborted'), denied }];
  }
  return [];
}

function contentText(content: unknown): string {
  return objects(content)
    .map((part) => text(part['text']))
    .join('');
}

/**
 * A script may have run one command and been refused the next: the commands that have run have items of their own, so
 * the script itself may count as denied.
 */
function isDenial(words: string): boolean {
  return (
    /^(exec command|patch|command) rejected by user/.test(words) ||
    /^Script failed\n[\s\S]*Rejected\("(rejected by user|[^"]*denied)/.test(words.replaceAll('\\"', '"'))
  );
}

const notTools = new Set([
  'UserMessage',
  'AgentMessage',
  'Reasoning',
  'Plan',
  'TodoList',
  'ContextCompaction',
  '',
]);

function finishedItem(item: JsonObject, at: number | undefined): readonly RecordEntry[] {
  const type = text(item['type']);
  if (notTools.has(type)) return [];
  const id = text(item['id']);
  const status = text(item['status']);
  const input = item['command'] ?? item['changes'] ?? item['arguments'] ?? {};
  const denied = status === 'declined';
  return [
    { type: 'tool', at, id, name: type, input },
    { type: 'tool_end', at, id, isError: denied || status === 'failed', denied },
  ];
}
