import type { StoredEvent, StoredTurn } from '../../../../store/rows.js';
import { PlainData, type ServerSentEvent } from '../event-stream.js';
import type { AnswerStep } from './follow-answer.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { chatUsage, finishReason } from './represent-usage.js';
import { turnFailure } from './turn-failure.js';

/** The answer as one object. */
export function chatCompletion({ model }: OpenAiRequest, event: StoredEvent, turn: StoredTurn | undefined) {
  const message = { role: 'assistant', content: event.responseText ?? '', refusal: null };
  return {
    ...head(event, model, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(turn) }],
    ...(turn?.usage === undefined ? {} : { usage: chatUsage(turn.usage) }),
  };
}

/** The answer as a stream of chunks. A failure ends it with an `error` in place of `[DONE]`. */
export async function* chatChunks(
  { model, includeUsage }: OpenAiRequest,
  accepted: StoredEvent,
  steps: AsyncIterable<AnswerStep>,
): AsyncGenerator<ServerSentEvent> {
  const start = head(accepted, model, 'chat.completion.chunk');
  // With usage asked for, every chunk has the field.
  const usage = includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null = null): ServerSentEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return { data: { ...start, choices, ...usage } };
  };
  yield chunk({ role: 'assistant', content: '', refusal: null });
  for await (const step of steps) {
    if (step.type === 'text') yield chunk({ content: step.text });
    if (step.type !== 'ended') continue;
    const failure = turnFailure(step.event, step.events);
    if (failure !== undefined) return yield { data: failure.body };
    yield chunk({}, finishReason(step.turn));
    const used = step.turn?.usage;
    if (includeUsage)
      yield { data: { ...start, choices: [], usage: used === undefined ? null : chatUsage(used) } };
    yield { data: new PlainData('[DONE]') };
  }
}

function head({ id, createdAt }: StoredEvent, model: string, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAt / 1000), model };
}
