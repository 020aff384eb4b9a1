import {
  type AnswerEncoder,
  type AnswerIds,
  type Block,
  type ModelApi,
  sseEvent,
  type ToolCall,
  type WholeAnswer,
} from './api.js';
import { asObject, asObjects, asString, type JsonObject, parseJsonText } from './json.js';
import { openAiErrorBody } from './openai-errors.js';
import { type Message, type OfferedTool, type Part, type RequestContent, requestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** OpenAI Chat Completions: `POST /v1/chat/completions`. */
export const openAiChat: ModelApi = {
  name: 'openai-chat',
  path: /\/chat\/completions$/,
  read: readRequest,
  encoder: (request, ids) => new ChatEncoder(request, ids),
  wholeAnswer,
  errorBody: openAiErrorBody,
};

function readRequest(body: JsonObject): RequestContent {
  return requestContent({
    model: asString(body['model']),
    stream: body['stream'] === true,
    messages: asObjects(body['messages']).map(readMessage),
    tools: asObjects(body['tools']).map(readTool),
  });
}

function readMessage(message: JsonObject): Message {
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: readContent(message['content']) };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message) };
    case 'tool':
      return {
        role: 'user',
        parts: [
          {
            type: 'tool_result',
            id: asString(message['tool_call_id']),
            output: readContent(message['content'])
              .map((part) => (part.type === 'text' ? part.text : ''))
              .join(''),
            isError: false,
          },
        ],
      };
    default:
      return { role: 'user', parts: readContent(message['content']) };
  }
}

function readAssistant(message: JsonObject): readonly Part[] {
  const thinking = asString(message['reasoning_content']);
  const calls = asObjects(message['tool_calls']).map((call): Part => {
    const target = asObject(call['function']);
    return {
      type: 'tool_call',
      id: asString(call['id']),
      name: asString(target['name']),
      input: parseJsonText(asString(target['arguments'])),
    };
  });
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...readContent(message['content']).filter((part) => part.type !== 'text' || part.text !== ''),
    ...calls,
  ];
}

function readContent(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asObjects(content).map((part) =>
    typeof part['text'] === 'string'
      ? { type: 'text', text: part['text'] }
      : { type: 'other', kind: asString(part['type']) },
  );
}

function readTool(tool: JsonObject): OfferedTool {
  const target = asObject(tool['function']);
  return {
    name: asString(target['name']),
    namespace: undefined,
    freeform: false,
    description: asString(target['description']),
    parameters: Object.keys(asObject(asObject(target['parameters'])['properties'])),
  };
}

class ChatEncoder implements AnswerEncoder {
  readonly contentType = 'text/event-stream';
  readonly #request: RequestContent;
  readonly #ids: AnswerIds;
  #open: Block['type'] = 'text';
  #calls = 0;

  constructor(request: RequestContent, ids: AnswerIds) {
    this.#request = request;
    this.#ids = ids;
  }

  start(): string {
    return this.#chunk({ role: 'assistant', content: '' });
  }

  open(block: Block): string {
    this.#open = block.type;
    return block.type === 'tool_call'
      ? this.#chunk({ tool_calls: [{ index: this.#calls++, ...wireCall(block) }] })
      : '';
  }

  delta(text: string): string {
    return this.#chunk(this.#open === 'thinking' ? { reasoning_content: text } : { content: text });
  }

  fail(status: number, message: string): string {
    return sseEvent(openAiErrorBody(status, message));
  }

  end(stopReason: ModelStopReason, usage: TokenUsage): string {
    const last = { ...head(this.#request, this.#ids, 'chat.completion.chunk'), choices: [] };
    return `${this.#chunk({}, finishReasons[stopReason])}${sseEvent({ ...last, usage: usageOf(usage) })}data: [DONE]\n\n`;
  }

  #chunk(delta: JsonObject, finishReason: string | null = null): string {
    return sseEvent({
      ...head(this.#request, this.#ids, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
  }
}

function wholeAnswer(request: RequestContent, ids: AnswerIds, answer: WholeAnswer): JsonObject {
  const calls = answer.blocks.filter((block) => block.type === 'tool_call');
  const textOf = (type: 'text' | 'thinking'): string =>
    answer.blocks.map((block) => (block.type === type ? block.text : '')).join('');
  const thinking = textOf('thinking');
  return {
    ...head(request, ids, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf('text'),
          ...(thinking === '' ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
        },
        finish_reason: finishReasons[answer.stopReason],
      },
    ],
    usage: usageOf(answer.usage),
  };
}

function wireCall(call: ToolCall): JsonObject {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
  };
}

function head(request: RequestContent, ids: AnswerIds, object: string): JsonObject {
  return { id: `chatcmpl-${ids.answer}`, object, created: ids.created, model: request.model };
}

const finishReasons: Readonly<Record<ModelStopReason, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

function usageOf(usage: TokenUsage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens: usage.outputTokens,
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
