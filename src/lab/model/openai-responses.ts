import {
  type AnswerEncoder,
  type AnswerIds,
  type Block,
  type ModelApi,
  sseEvent,
  type ToolCall,
  type WholeBlock,
} from './api.js';
import { asArray, asObject, asObjects, asString, compact, type JsonObject, parseJsonText } from './json.js';
import { openAiErrorBody } from './openai-errors.js';
import { type Message, type OfferedTool, type Part, type RequestContent, requestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** OpenAI Responses: `POST /v1/responses`. */
export const openAiResponses: ModelApi = {
  name: 'openai-responses',
  path: /\/responses$/,
  read: readRequest,
  encoder: (request, ids) => new ResponsesEncoder(request, ids),
  wholeAnswer: (request, ids, answer) => ({
    ...responseHead(request, ids),
    ...responseEnd(
      answer.blocks.map((block, index) => wholeItem(ids, block, index)),
      answer.stopReason,
      answer.usage,
    ),
  }),
  errorBody: openAiErrorBody,
};

function readRequest(body: JsonObject): RequestContent {
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

class ResponsesEncoder implements AnswerEncoder {
  readonly contentType = 'text/event-stream';
  readonly #request: RequestContent;
  readonly #ids: AnswerIds;
  readonly #items: JsonObject[] = [];
  #sequence = 0;
  #open: Block | undefined;
  #text: string[] = [];

  constructor(request: RequestContent, ids: AnswerIds) {
    this.#request = request;
    this.#ids = ids;
  }

  start(): string {
    const response = {
      ...responseHead(this.#request, this.#ids),
      status: 'in_progress',
      output: [],
      usage: null,
    };
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  open(block: Block): string {
    const closed = this.#close();
    this.#open = block;
    const added = this.#event('response.output_item.added', {
      output_index: this.#items.length,
      item: this.#item(block, 'in_progress', ''),
    });
    return closed + added + this.#openParts(block);
  }

  delta(text: string): string {
    this.#text.push(text);
    return this.#open?.type === 'thinking'
      ? this.#itemEvent('response.reasoning_summary_text.delta', { summary_index: 0, delta: text })
      : this.#itemEvent('response.output_text.delta', { content_index: 0, delta: text, logprobs: [] });
  }

  fail(status: number, message: string): string {
    const error = asObject(openAiErrorBody(status, message)['error']);
    return this.#event('response.failed', {
      response: {
        ...responseHead(this.#request, this.#ids),
        status: 'failed',
        error: { code: error['code'] ?? error['type'], message },
        output: this.#items,
      },
    });
  }

  end(stopReason: ModelStopReason, usage: TokenUsage): string {
    const closed = this.#close();
    const end = responseEnd(this.#items, stopReason, usage);
    return (
      closed +
      this.#event(`response.${asString(end['status'])}`, {
        response: { ...responseHead(this.#request, this.#ids), ...end },
      })
    );
  }

  #openParts(block: Block): string {
    switch (block.type) {
      case 'text':
        return this.#itemEvent('response.content_part.added', {
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
        });
      case 'thinking':
        return this.#itemEvent('response.reasoning_summary_part.added', {
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        });
      case 'tool_call':
        return block.freeform
          ? this.#itemEvent('response.custom_tool_call_input.delta', { delta: inputText(block) })
          : this.#itemEvent('response.function_call_arguments.delta', { delta: inputText(block) });
    }
  }

  #close(): string {
    const block = this.#open;
    if (block === undefined) return '';
    const text = this.#text.join('');
    const parts = this.#closeParts(block, text);
    const item = this.#item(block, 'completed', text);
    const done = this.#event('response.output_item.done', { output_index: this.#items.length, item });
    this.#items.push(item);
    this.#open = undefined;
    this.#text = [];
    return parts + done;
  }

  #closeParts(block: Block, text: string): string {
    switch (block.type) {
      case 'text':
        return (
          this.#itemEvent('response.output_text.done', { content_index: 0, text, logprobs: [] }) +
          this.#itemEvent('response.content_part.done', {
            content_index: 0,
            part: { type: 'output_text', text, annotations: [], logprobs: [] },
          })
        );
      case 'thinking':
        return (
          this.#itemEvent('response.reasoning_summary_text.done', { summary_index: 0, text }) +
          this.#itemEvent('response.reasoning_summary_part.done', {
            summary_index: 0,
            part: { type: 'summary_text', text },
          })
        );
      case 'tool_call':
        return block.freeform
          ? this.#itemEvent('response.custom_tool_call_input.done', { input: inputText(block) })
          : this.#itemEvent('response.function_call_arguments.done', { arguments: inputText(block) });
    }
  }

  #item(block: Block, status: 'in_progress' | 'completed', text: string): JsonObject {
    return outputItem(itemId(this.#ids, block, this.#items.length), block, status, text);
  }

  #itemEvent(type: string, data: JsonObject): string {
    const block = this.#open ?? { type: 'text' };
    return this.#event(type, {
      item_id: itemId(this.#ids, block, this.#items.length),
      output_index: this.#items.length,
      ...data,
    });
  }

  #event(type: string, data: JsonObject): string {
    return sseEvent({ type, sequence_number: this.#sequence++, ...data }, type);
  }
}

const idPrefixes: Readonly<Record<Block['type'], string>> = { text: 'msg', thinking: 'rs', tool_call: 'fc' };

function itemId(ids: AnswerIds, block: Block, index: number): string {
  return `${idPrefixes[block.type]}_${ids.answer}_${index}`;
}

function wholeItem(ids: AnswerIds, block: WholeBlock, index: number): JsonObject {
  const text = block.type === 'tool_call' ? '' : block.text;
  return outputItem(itemId(ids, block, index), block, 'completed', text);
}

function outputItem(id: string, block: Block, status: 'in_progress' | 'completed', text: string): JsonObject {
  const complete = status === 'completed';
  switch (block.type) {
    case 'text':
      return {
        type: 'message',
        id,
        status,
        role: 'assistant',
        content: complete ? [{ type: 'output_text', text, annotations: [], logprobs: [] }] : [],
      };
    case 'thinking':
      return {
        type: 'reasoning',
        id,
        summary: complete ? [{ type: 'summary_text', text }] : [],
        ...(complete ? { encrypted_content: 'c2NyaXB0ZWQ=' } : {}),
      };
    case 'tool_call':
      return {
        type: block.freeform ? 'custom_tool_call' : 'function_call',
        id,
        status,
        call_id: block.id,
        name: block.name,
        ...(block.namespace === undefined ? {} : { namespace: block.namespace }),
        [block.freeform ? 'input' : 'arguments']: complete ? inputText(block) : '',
      };
  }
}

function inputText(call: ToolCall): string {
  return call.freeform && typeof call.input === 'string' ? call.input : JSON.stringify(call.input ?? {});
}

function responseHead(request: RequestContent, ids: AnswerIds): JsonObject {
  return {
    id: `resp_${ids.answer}`,
    object: 'response',
    created_at: ids.created,
    model: request.model,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
  };
}

function responseEnd(
  output: readonly JsonObject[],
  stopReason: ModelStopReason,
  usage: TokenUsage,
): JsonObject {
  const reason = incompleteReasons[stopReason];
  return {
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usageOf(usage),
  };
}

const incompleteReasons: Partial<Readonly<Record<ModelStopReason, string>>> = {
  max_tokens: 'max_output_tokens',
  refusal: 'content_filter',
};

function usageOf(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
