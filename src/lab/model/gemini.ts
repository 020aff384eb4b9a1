import {
  type AnswerEncoder,
  type AnswerIds,
  type Block,
  type ModelApi,
  sseEvent,
  type ToolCall,
  type WholeBlock,
} from './api.js';
import { asObject, asObjects, asString, type JsonObject } from './json.js';
import { type Message, type OfferedTool, type Part, type RequestContent, requestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** Gemini: `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse` and `:generateContent`. */
export const gemini: ModelApi = {
  name: 'gemini',
  path: /\/models\/[^/:]+:(streamGenerateContent|generateContent|countTokens)$/,
  read: readRequest,
  encoder: (request, ids, path) => new GeminiEncoder(request, ids, path.includes('alt=sse')),
  wholeAnswer: (request, ids, answer) =>
    response(request, ids, answer.blocks.map(wholePart), answer.stopReason, answer.usage),
  errorBody: (status, message) => ({
    error: { code: status, message, status: statusNames[status] ?? 'UNKNOWN' },
  }),
};

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  529: 'UNAVAILABLE',
};

function readRequest(body: JsonObject, path: string): RequestContent {
  const [, model = '', action = ''] = /\/models\/([^/:?]+):(\w+)/.exec(path) ?? [];
  const system: Message = { role: 'system', parts: readParts(body['systemInstruction']) };
  const messages = asObjects(body['contents']).map(
    (content): Message => ({
      role: content['role'] === 'model' ? 'assistant' : 'user',
      parts: readParts(content),
    }),
  );
  return requestContent({
    model: decodeURIComponent(model),
    stream: action === 'streamGenerateContent',
    messages: system.parts.length > 0 ? [system, ...messages] : messages,
    tools: asObjects(body['tools']).flatMap((tool) => asObjects(tool['functionDeclarations']).map(readTool)),
  });
}

function readParts(content: unknown): readonly Part[] {
  return asObjects(asObject(content)['parts']).map(readPart);
}

function readPart(part: JsonObject): Part {
  if (typeof part['text'] === 'string') {
    return { type: part['thought'] === true ? 'thinking' : 'text', text: part['text'] };
  }
  if ('functionCall' in part) {
    const call = asObject(part['functionCall']);
    return {
      type: 'tool_call',
      id: asString(call['id']),
      name: asString(call['name']),
      input: call['args'],
    };
  }
  if ('functionResponse' in part) {
    const result = asObject(part['functionResponse']);
    const response = asObject(result['response']);
    const output = response['output'] ?? response['error'] ?? response;
    return {
      type: 'tool_result',
      id: asString(result['id']),
      output: typeof output === 'string' ? output : JSON.stringify(output),
      isError: 'error' in response,
    };
  }
  return { type: 'other', kind: Object.keys(part)[0] ?? '' };
}

function readTool(tool: JsonObject): OfferedTool {
  const schema = asObject(tool['parametersJsonSchema'] ?? tool['parameters']);
  return {
    name: asString(tool['name']),
    namespace: undefined,
    freeform: false,
    description: asString(tool['description']),
    parameters: Object.keys(asObject(schema['properties'])),
  };
}

class GeminiEncoder implements AnswerEncoder {
  readonly contentType: string;
  readonly #request: RequestContent;
  readonly #ids: AnswerIds;
  /** True for `alt=sse`. Without it the stream is a JSON array, sent element by element. */
  readonly #sse: boolean;
  #elements = 0;
  #open: Block['type'] = 'text';

  constructor(request: RequestContent, ids: AnswerIds, sse: boolean) {
    this.contentType = sse ? 'text/event-stream' : 'application/json';
    this.#request = request;
    this.#ids = ids;
    this.#sse = sse;
  }

  start(): string {
    return this.#sse ? '' : '[';
  }

  open(block: Block): string {
    this.#open = block.type;
    return block.type === 'tool_call' ? this.#chunk([callPart(block)]) : '';
  }

  delta(text: string): string {
    return this.#chunk([this.#open === 'thinking' ? { text, thought: true } : { text }]);
  }

  fail(status: number, message: string): string {
    return this.#element(gemini.errorBody(status, message));
  }

  end(stopReason: ModelStopReason, usage: TokenUsage): string {
    const last = response(this.#request, this.#ids, [{ text: '' }], stopReason, usage);
    return this.#element(last) + (this.#sse ? '' : ']');
  }

  #chunk(parts: readonly JsonObject[]): string {
    return this.#element(response(this.#request, this.#ids, parts));
  }

  #element(data: JsonObject): string {
    this.#elements += 1;
    if (this.#sse) return sseEvent(data);
    return `${this.#elements > 1 ? ',\n' : ''}${JSON.stringify(data)}`;
  }
}

function response(
  request: RequestContent,
  ids: AnswerIds,
  parts: readonly JsonObject[],
  stopReason?: ModelStopReason,
  usage?: TokenUsage,
): JsonObject {
  const finish = stopReason === undefined ? {} : { finishReason: finishReasons[stopReason] };
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
    modelVersion: request.model,
    responseId: `resp_${ids.answer}`,
    ...(usage === undefined ? {} : { usageMetadata: usageOf(usage) }),
  };
}

function wholePart(block: WholeBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'thinking':
      return { text: block.text, thought: true };
    case 'tool_call':
      return callPart(block);
  }
}

/** Gemini 3 refuses a history whose calls carry no thought signature, so real calls always do. */
function callPart(call: ToolCall): JsonObject {
  return {
    functionCall: { id: call.id, name: call.name, args: call.input ?? {} },
    thoughtSignature: 'c2lnbmVk',
  };
}

const finishReasons: Readonly<Record<ModelStopReason, string>> = {
  end_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

function usageOf(usage: TokenUsage): JsonObject {
  return {
    promptTokenCount: usage.inputTokens,
    cachedContentTokenCount: usage.cachedInputTokens,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    thoughtsTokenCount: usage.reasoningTokens,
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  };
}
