import { randomUUID } from 'node:crypto';
import type { ClaudeLine } from '../plain-lines.js';
import type { Fields, UserMessage } from './read-messages.js';

// The lines that only a live Claude (2.1.325) prints.

export type ControlAnswer =
  | { readonly type: 'success'; readonly response: Fields }
  | { readonly type: 'error'; readonly error: string; readonly code: string };

export function controlResponseLine(requestId: string, answer: ControlAnswer): ClaudeLine {
  const response =
    answer.type === 'success'
      ? { subtype: 'success', request_id: requestId, response: answer.response }
      : { subtype: 'error', request_id: requestId, error: answer.error, error_code: answer.code };
  return { type: 'control_response', response };
}

/** The line with the state of a message. Claude prints it for messages that have an id. */
export function lifecycleLine(
  sessionId: string,
  messageId: string,
  state: 'queued' | 'started' | 'completed' | 'cancelled',
): ClaudeLine {
  return { type: 'command_lifecycle', command_uuid: messageId, state, ...tail(sessionId) };
}

export function modeLine(sessionId: string, permissionMode: string): ClaudeLine {
  return { type: 'system', subtype: 'status', status: null, permissionMode, ...tail(sessionId) };
}

/** The line for a reset, which is printed under the old session's id. */
export function resetLine(sessionId: string): ClaudeLine {
  return {
    type: 'conversation_reset',
    new_conversation_id: randomUUID(),
    trigger: 'clear',
    ...tail(sessionId),
  };
}

export function replayLine(sessionId: string, { id = randomUUID(), prompt }: UserMessage): ClaudeLine {
  return {
    type: 'user',
    message: { role: 'user', content: prompt },
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid: id,
    isReplay: true,
  };
}

function tail(sessionId: string): { session_id: string; uuid: string } {
  return { session_id: sessionId, uuid: randomUUID() };
}
