import {
  type AnswerEncoder,
  type AnswerIds,
  type Block,
  type ModelApi,
  sseEvent,
  type WholeAnswer,
  type WholeBlock,
} from './api.js';
import { asArray, asObject, asObjects, asString, type JsonObject } from './json.js';
import { type Message, type OfferedTool, type Part, type RequestContent, requestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** Anthropic Messages: `POST /v1/messages`. */
export const anthropic: ModelApi = {
  name: 'anthropic',
  path: /\/messages(\/count_tokens)?$/,
  read: readRequest,
  encoder: (request, ids) => new AnthropicEncoder(request, ids),
  wholeAnswer,
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_scripted',
  }),
};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function readRequest(body: JsonObject): RequestContent {
  const system: Message = { role: 'system', parts: readContent(body['system']) };
  const messages = asObjects(body['messages']).map(
    (message): Message => ({ role: readRole(message['role']), parts: readContent(message['content']) }),
  );
  return requestContent({
    model: asString(body['model']),
    stream: body['stream'] === true,
    messages: system.parts.length > 0 ? [system, ...messages] : messages,
    tools: asObjects(body['tools']).map(readTool),
  });
}

/** Since 2.1.3xx Claude Code sends `system` messages in the middle of the history. */
function readRole(role: unknown): Message['role'] {
  return role === 'assistant' || role === 'system' ? role : 'user';
}

function readContent(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asObjects(content).map(readBlock);
}

function readBlock(block: JsonObject): Part {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: asString(block['text']) };
    case 'thinking':
      return { type: 'thinking', text: asString(block['thinking']) };
    case 'tool_use':
      return {
        type: 'tool_call',
        id: asString(block['id']),
        name: asString(block['name']),
        input: block['input'],
      };
    case 'tool_result':
      return {
        type: 'tool_result',
        id: asString(block['tool_use_id']),
        output: readOutput(block['content']),
        isError: block['is_error'] === true,
      };
    default:
      return { type: 'other', kind: asString(block['type']) };
  }
}

function readOutput(content: unknown): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => asString(asObject(part)['text']))
    .join('');
}

function readTool(tool: JsonObject): OfferedTool {
  return {
    name: asString(tool['name']),
    namespace: undefined,
    freeform: false,
    description: asString(tool['description']),
    parameters: Object.keys(asObject(asObject(tool['input_schema'])['properties'])),
  };
}

class AnthropicEncoder implements AnswerEncoder {
  readonly contentType = 'text/event-stream';
  readonly #request: RequestContent;
  readonly #ids: AnswerIds;
  #index = -1;
  #open: Block | undefined;

  constructor(request: RequestContent, ids: AnswerIds) {
    this.#request = request;
    this.#ids = ids;
  }

  start(usage: TokenUsage): string {
    return event({
      type: 'message_start',
      message: {
        ...messageHead(this.#request, this.#ids),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usageOf(usage), output_tokens: 1 },
      },
    });
  }

  open(block: Block): string {
    const closed = this.#close();
    this.#open = block;
    this.#index += 1;
    const started = event({
      type: 'content_block_start',
      index: this.#index,
      content_block: emptyBlock(block),
    });
    return block.type === 'tool_call'
      ? closed +
          started +
          this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) })
      : closed + started;
  }

  delta(text: string): string {
    return this.#open?.type === 'thinking'
      ? this.#delta({ type: 'thinking_delta', thinking: text })
      : this.#delta({ type: 'text_delta', text });
  }

  fail(status: number, message: string): string {
    return event({ ...anthropic.errorBody(status, message) });
  }

  end(stopReason: ModelStopReason, usage: TokenUsage): string {
    return (
      this.#close() +
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: usageOf(usage),
      }) +
      event({ type: 'message_stop' })
    );
  }

  #close(): string {
    if (this.#open === undefined) return '';
    const signature =
      this.#open.type === 'thinking' ? this.#delta({ type: 'signature_delta', signature: 'c2lnbmVk' }) : '';
    this.#open = undefined;
    return signature + event({ type: 'content_block_stop', index: this.#index });
  }

  #delta(delta: JsonObject): string {
    return event({ type: 'content_block_delta', index: this.#index, delta });
  }
}

function event(data: JsonObject): string {
  return sseEvent(data, asString(data['type']));
}

function emptyBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

function wholeAnswer(request: RequestContent, ids: AnswerIds, answer: WholeAnswer): JsonObject {
  return {
    ...messageHead(request, ids),
    content: answer.blocks.map(wholeBlock),
    stop_reason: answer.stopReason,
    stop_sequence: null,
    usage: usageOf(answer.usage),
  };
}

function wholeBlock(block: WholeBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: 'c2lnbmVk' };
    case 'tool_call':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} };
  }
}

function messageHead(request: RequestContent, ids: AnswerIds): JsonObject {
  return { id: `msg_${ids.answer}`, type: 'message', role: 'assistant', model: request.model };
}

function usageOf(usage: TokenUsage): JsonObject {
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens),
    cache_creation_input_tokens: usage.cacheWriteInputTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
  };
}
