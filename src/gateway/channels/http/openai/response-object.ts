import { hasEnded, type StoredEvent, type StoredTurn } from '../../../../store/rows.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { finishReason, responseUsage } from './represent-usage.js';
import { responseId } from './response-id.js';

/** The request's fields that its response repeats. */
export type Echoed = Pick<OpenAiRequest, 'model' | 'instructions' | 'metadata' | 'previousResponse'>;

/** The response to an event, as far as it has come. `text` is what was said so far. */
export function responseObject(
  request: Echoed,
  event: StoredEvent,
  { turn, text = event.responseText }: { turn?: StoredTurn | undefined; text?: string | undefined } = {},
) {
  const status = statusOf(event, turn);
  const isOver = hasEnded(event);
  return {
    id: responseId(event.id),
    object: 'response',
    created_at: Math.floor(event.createdAt / 1000),
    status,
    background: false,
    completed_at:
      status === 'completed' && event.endedAt !== undefined ? Math.floor(event.endedAt / 1000) : null,
    error: isOver && event.error !== undefined ? errorOf(event.error) : null,
    incomplete_details: status === 'incomplete' ? { reason: incompleteReason(turn) } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    // The channel is how the conversation goes on, and where the page shows it.
    metadata: { ...request.metadata, channel: event.channel },
    model: request.model,
    output: text === undefined ? [] : [outputMessage(event, text, isOver ? 'completed' : 'in_progress')],
    parallel_tool_calls: false,
    previous_response_id: request.previousResponse ?? null,
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'none',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: turn?.usage === undefined ? null : responseUsage(turn.usage),
  };
}

/** The one message of a response. */
export function outputMessage(
  event: StoredEvent,
  text: string | undefined,
  status: 'in_progress' | 'completed',
) {
  const content = text === undefined ? [] : [outputText(text)];
  return { id: `msg_${event.id}`, type: 'message', status, role: 'assistant', content };
}

export function outputText(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

function statusOf(event: StoredEvent, turn: StoredTurn | undefined): ResponseStatus {
  switch (event.state) {
    case 'queued':
      return 'queued';
    case 'running':
      return 'in_progress';
    case 'cancelled':
      return 'cancelled';
    case 'answered':
      return finishReason(turn) === 'stop' ? 'completed' : 'incomplete';
    case 'refused':
    case 'failed':
      return 'failed';
  }
}

function incompleteReason(turn: StoredTurn | undefined): 'max_output_tokens' | 'content_filter' {
  return finishReason(turn) === 'length' ? 'max_output_tokens' : 'content_filter';
}

/** OpenAI has two codes that fit. */
function errorOf({ code, message }: NonNullable<StoredEvent['error']>) {
  return { code: code === 'rate_limit' ? 'rate_limit_exceeded' : 'server_error', message };
}
