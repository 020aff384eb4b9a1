import { asArray, asObject, asObjects, asString, compact, type JsonObject, parseJsonText } from './json.js';
import { type Message, type OfferedTool, type Part, type RequestContent, requestContent } from './request.js';

export function readResponsesRequest(body: JsonObject): RequestContent {
  const input = asObjects(
    typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : body['input'],
  );
  const instructions = asString(body['instructions']);
  const system: readonly Message[] =
    instructions === '' ? [] : [{ role: 'system', parts: [{ type: 'text', text: instructions }] }];
  // Codex's newer models get their tools as an input item instead of in `tools`.
  const additional = input.filter((item) => item['type'] === 'additional_tools').map((item) => item['tools']);
  return requestContent({
    model: asString(body['model']),
    stream: body['stream'] === true,
    messages: [...system, ...compact(input.map(readItem))],
    tools: [body['tools'], ...additional].flatMap((tools) => readTools(tools)),
  });
}

function readItem(item: JsonObject): Message | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return { role: readRole(item['role']), parts: readContent(item['content']) };
    case 'reasoning':
      return { role: 'assistant', parts: [{ type: 'thinking', text: readOutput(item['summary']) }] };
    case 'function_call':
      return callMessage(item, parseJsonText(asString(item['arguments'])));
    case 'custom_tool_call':
      return callMessage(item, item['input']);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return {
        role: 'user',
        parts: [
          {
            type: 'tool_result',
            id: asString(item['call_id']),
            output: readOutput(item['output']),
            isError: asObject(item['output'])['success'] === false,
          },
        ],
      };
    case 'additional_tools':
      return undefined;
    default:
      return { role: 'user', parts: [{ type: 'other', kind: asString(item['type']) }] };
  }
}

function callMessage(item: JsonObject, input: unknown): Message {
  const call: Part = {
    type: 'tool_call',
    id: asString(item['call_id']),
    name: asString(item['name']),
    input,
  };
  return { role: 'assistant', parts: [call] };
}

function readRole(role: unknown): Message['role'] {
  if (role === 'developer' || role === 'system') return 'system';
  return role === 'assistant' ? 'assistant' : 'user';
}

function readContent(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asObjects(content).map((part) =>
    typeof part['text'] === 'string'
      ? { type: 'text', text: part['text'] }
      : { type: 'other', kind: asString(part['type']) },
  );
}

function readOutput(output: unknown): string {
  if (typeof output === 'string') return output;
  const parts = asArray(Array.isArray(output) ? output : asObject(output)['content']);
  return parts.map((part) => asString(asObject(part)['text'])).join('');
}

function readTools(tools: unknown, namespace?: string): readonly OfferedTool[] {
  return asObjects(tools).flatMap((tool) => {
    if (tool['type'] === 'namespace') return readTools(tool['tools'], asString(tool['name']));
    return [
      {
        name: asString(tool['name'] ?? tool['type']),
        namespace,
        freeform: tool['type'] === 'custom',
        description: asString(tool['description']),
        parameters: Object.keys(asObject(asObject(tool['parameters'])['properties'])),
      },
    ];
  });
}
