import {
  type AnswerEncoder,
  type AnswerIds,
  type Block,
  type ModelApi,
  sseEvent,
  type ToolCall,
  type WholeBlock,
} from './api.js';
import { asObject, asString, type JsonObject } from './json.js';
import { openAiErrorBody } from './openai-errors.js';
import { readResponsesRequest } from './openai-responses-request.js';
import type { RequestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** OpenAI Responses: `POST /v1/responses`. */
export const openAiResponses: ModelApi = {
  name: 'openai-responses',
  path: /\/responses$/,
  read: readResponsesRequest,
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
