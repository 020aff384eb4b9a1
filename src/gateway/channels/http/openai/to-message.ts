import { createHash, randomUUID } from 'node:crypto';
import { thinkingDepths } from '../../../../core/thinking.js';
import type { GatewayFace, IncomingMessage } from '../../types.js';
import { historyMark } from './go-on.js';
import { findAgent } from './models.js';
import { badField } from './open-ai-problem.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { eventIdOf } from './response-id.js';

const openAiSource = 'openai';

/** The request as a message for the gateway. Rejects if its model or its conversation is unknown. */
export async function toMessage(
  gateway: Pick<GatewayFace, 'event' | 'reports' | 'status' | 'takeMarked'>,
  request: OpenAiRequest,
  messageId: string | undefined,
): Promise<IncomingMessage> {
  const { model, thinking, prompt: text, history, instructions } = request;
  const backends = await gateway.reports.backends();
  const agent = findAgent(model, backends);
  const channel = await channelOf(gateway, request, messageId);
  const depth = async (wanted: string) => {
    const name = agent.backend ?? (await gateway.status(channel)).backend;
    return fittingDepth(wanted, backends.find((backend) => backend.name === name)?.thinkingDepths);
  };
  return {
    channel,
    source: openAiSource,
    text,
    messageId,
    history,
    instructions,
    agent: { ...agent, thinking: thinking === undefined ? undefined : await depth(thinking.depth) },
    // The answer of a request is its own, whatever the channel does with other messages.
    queueMode: 'queue',
  };
}

/**
 * OpenAI's clients send a depth by default, `none` and `minimal` most of all: an agent without depths does without, and one
 * that has no such little one takes its least.
 */
function fittingDepth(wanted: string, taken: readonly string[] = [wanted]): string | undefined {
  if (taken.length === 0) return undefined;
  if (taken.includes(wanted) || (wanted !== 'off' && wanted !== 'minimal')) return wanted;
  return thinkingDepths.find((depth) => depth !== 'off' && taken.includes(depth)) ?? wanted;
}

async function channelOf(
  gateway: Pick<GatewayFace, 'event' | 'takeMarked'>,
  request: OpenAiRequest,
  messageId: string | undefined,
): Promise<string> {
  const { channel, previousResponse } = request;
  const named = channel?.id;
  if (previousResponse !== undefined) {
    const eventId = eventIdOf(previousResponse);
    const event = eventId === undefined ? undefined : await gateway.event(eventId);
    if (event === undefined || event.removed) throw unknownResponse(previousResponse);
    if (named !== undefined && named !== event.channel) throw otherChannel(event.channel, channel);
    return event.channel;
  }
  if (named !== undefined) return named;
  // Of two equal requests at once, one goes on and the other begins anew. A repeat by its key has to find its first one.
  const known =
    messageId !== undefined || request.history.at(-1)?.role !== 'assistant'
      ? undefined
      : await gateway.takeMarked(historyMark(request, request.history));
  return known ?? newChannel(messageId);
}

/** A repeat of the same request has to find the channel of the first one. */
function newChannel(messageId: string | undefined): string {
  const id =
    messageId === undefined
      ? randomUUID()
      : createHash('sha256').update(messageId).digest('hex').slice(0, 32);
  return `openai:${id}`;
}

function unknownResponse(id: string) {
  const shown = JSON.stringify(id.slice(0, 160));
  return badField(
    'previous_response_id',
    `there is no response ${shown} (any more).`,
    'previous_response_not_found',
  );
}

function otherChannel(id: string, named: OpenAiRequest['channel']) {
  return badField(
    'previous_response_id',
    `it is of the conversation ${JSON.stringify(id)}, but ${named?.param} names ${JSON.stringify(named?.id)}.`,
  );
}
