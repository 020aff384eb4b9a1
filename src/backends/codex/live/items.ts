import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';

/** A tool's item of the app-server in the format of `codex exec --json`, so that live and one-shot turns tell of it alike. */
export function execItem(item: JsonObject): JsonObject | undefined {
  const translate = toolKinds.get(text(item['type']));
  if (translate === undefined) return undefined;
  return { ...translate(item), id: item['id'], status: snakeCase(text(item['status'])) };
}

const toolKinds: ReadonlyMap<string, (item: JsonObject) => JsonObject> = new Map([
  [
    'commandExecution',
    (item) => ({
      type: 'command_execution',
      command: item['command'],
      aggregated_output: item['aggregatedOutput'],
      exit_code: item['exitCode'],
    }),
  ],
  ['fileChange', (item) => ({ type: 'file_change', changes: objects(item['changes']).map(change) })],
  [
    'mcpToolCall',
    (item) => ({
      type: 'mcp_tool_call',
      server: item['server'],
      tool: item['tool'],
      arguments: item['arguments'],
      result: item['result'],
      error: item['error'],
    }),
  ],
  ['webSearch', (item) => ({ type: 'web_search', query: item['query'] })],
  ...['dynamicToolCall', 'collabAgentToolCall', 'imageView', 'imageGeneration', 'sleep'].map(
    (kind) => [kind, (item: JsonObject) => ({ ...withoutTimes(item), type: snakeCase(kind) })] as const,
  ),
]);

/** The `diff` of a new and of a deleted file is its text. A one-shot run tells neither it nor where the file is moved to. */
function change(one: JsonObject): JsonObject {
  const { type, move_path: movedTo } = object(one['kind']);
  return {
    path: one['path'],
    kind: text(type),
    ...(text(movedTo) === '' ? {} : { move_path: movedTo }),
    ...(typeof one['diff'] === 'string' ? { diff: one['diff'] } : {}),
  };
}

function withoutTimes(item: JsonObject): JsonObject {
  const { startedAtMs: _started, completedAtMs: _completed, durationMs: _took, ...rest } = item;
  return rest;
}

export function snakeCase(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
