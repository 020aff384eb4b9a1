import { createHash } from 'node:crypto';
import type { HistoryMessage } from '../../../../store/store.js';
import type { RouteOptions } from '../add-route.js';
import type { AnswerStep } from './follow-answer.js';
import type { OpenAiRequest } from './open-ai-request.js';

/*
 * A client that names no conversation sends all of it with every request. Where what it sends is what it was told in a channel
 * of its own, and nothing else was said there, the request goes on in that channel: the agent knows the conversation, and it
 * stays one in the list. The end of such a channel is marked with what its client has heard so far.
 */

/** True if the request names no conversation. */
export function isStateless({ channel, previousResponse }: OpenAiRequest): boolean {
  return channel === undefined && previousResponse === undefined;
}

/** The mark of a conversation in which so much was said, under the same instructions. */
export function historyMark({ instructions }: OpenAiRequest, said: readonly HistoryMessage[]): string {
  const all = [instructions ?? '', ...said.flatMap(({ role, text }) => [role, normalised(text)])];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

/** Clients trim what they keep. */
function normalised(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

/** Passes the steps of an answer on. Before its end is told, the end of the conversation is marked for the next request. */
export async function* marking(
  { gateway, log }: Pick<RouteOptions, 'gateway' | 'log'>,
  request: OpenAiRequest,
  steps: AsyncGenerator<AnswerStep, void>,
): AsyncGenerator<AnswerStep, void> {
  let streamed = '';
  for await (const step of steps) {
    if (step.type === 'text') streamed += step.text;
    if (step.type === 'ended') {
      const { id, state, kind, responseText = '' } = step.event;
      const text = request.stream ? streamed : responseText;
      // A command, and its reply, are nothing that the agent knows of.
      if (state === 'answered' && kind === 'prompt' && text.trim() !== '') {
        const said = [
          ...request.history,
          { role: 'user', text: request.prompt } as const,
          { role: 'assistant', text } as const,
        ];
        await gateway
          .markEnd(id, historyMark(request, said))
          .catch((error: unknown) => log.warn('the end of a conversation could not be marked', { error }));
      }
    }
    yield step;
  }
}
