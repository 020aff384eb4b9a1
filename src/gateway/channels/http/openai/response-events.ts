import type { StoredEvent } from '../../../../store/rows.js';
import type { ServerSentEvent } from '../event-stream.js';
import type { AnswerStep } from './follow-answer.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { outputMessage, outputText, responseObject } from './response-object.js';
import { turnFailure } from './turn-failure.js';

/** The response as a stream of named events, counted by `sequence_number`. */
export async function* responseEvents(
  request: OpenAiRequest,
  accepted: StoredEvent,
  steps: AsyncIterable<AnswerStep>,
): AsyncGenerator<ServerSentEvent> {
  let count = 0;
  const sent = (type: string, fields: object): ServerSentEvent => {
    return { event: type, data: { type, sequence_number: count++, ...fields } };
  };
  const message = (text: string | undefined, status: 'in_progress' | 'completed') =>
    outputMessage(accepted, text, status);
  const place = { item_id: message('', 'in_progress').id, output_index: 0, content_index: 0 };
  let text: string | undefined;

  const begun = responseObject(request, { ...accepted, state: 'running', responseText: undefined });
  yield sent('response.created', { response: begun });
  yield sent('response.in_progress', { response: begun });
  for await (const step of steps) {
    if (step.type === 'accepted') continue;
    const failure = step.type === 'ended' ? turnFailure(step.event, step.events) : undefined;
    if (text === undefined && failure === undefined) {
      text = '';
      yield sent('response.output_item.added', { output_index: 0, item: message(undefined, 'in_progress') });
      yield sent('response.content_part.added', { ...place, part: outputText('') });
    }
    if (step.type === 'text') {
      text += step.text;
      yield sent('response.output_text.delta', { ...place, delta: step.text, logprobs: [] });
      continue;
    }
    if (text !== undefined) {
      yield sent('response.output_text.done', { ...place, text, logprobs: [] });
      yield sent('response.content_part.done', { ...place, part: outputText(text) });
      yield sent('response.output_item.done', { output_index: 0, item: message(text, 'completed') });
    }
    const response = responseObject(request, step.event, { turn: step.turn, text });
    if (failure === undefined) return yield sent(`response.${response.status}`, { response });
    const { message: why, code, param } = failure;
    yield sent('error', { code, message: why, param });
    return yield sent('response.failed', { response: { ...response, status: 'failed' } });
  }
}
