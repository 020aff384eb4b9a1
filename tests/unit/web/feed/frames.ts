import type { ChatEvent } from '../../../../src/core/chat-event.js';
import type { MessageView, TurnView } from '../../../../src/gateway/channels/http/wire.js';
import type { Frame } from '../../../../web/feed/conversation.js';

const at = '2026-01-02T03:04:05.678Z';

export function message(
  id: number,
  role: MessageView['role'],
  eventId: string | null,
  text = `${role} ${id}`,
): MessageView {
  return {
    id: String(id),
    eventId,
    role,
    text,
    createdAt: at,
    ...(role === 'assistant' ? { backend: 'demo' } : {}),
  };
}

export function turn(
  turnId: string,
  eventIds: readonly string[],
  state: TurnView['state'] = 'running',
): TurnView {
  return { turnId, channel: 'home', eventIds, state, startedAt: at, backend: 'demo' };
}

export function said(...parameters: Parameters<typeof message>): Frame {
  return { type: 'said', message: message(...parameters) };
}

export function turned(...parameters: Parameters<typeof turn>): Frame {
  return { type: 'turn', turn: turn(...parameters) };
}

export function chat(turnId: string, event: ChatEvent, id?: string): Frame {
  return { type: 'chat', event: { ...event, turnId }, ...(id === undefined ? {} : { id }) };
}
