import { type Fields, readList } from './check-fields.js';
import { badField } from './open-ai-problem.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { readCommon, readEffort } from './read-common.js';
import { type GivenMessage, readContent, splitConversation } from './read-content.js';

/** Reads the body of `POST /v1/chat/completions`. */
export function readChatRequest(body: Fields): OpenAiRequest {
  const common = readCommon(body);
  const messages = readList('messages', body['messages']).map(readMessage);
  return {
    ...common,
    ...splitConversation(messages, 'messages'),
    thinking: readEffort('reasoning_effort', body['reasoning_effort']),
  };
}

function readMessage(message: Fields, index: number): GivenMessage {
  const param = `messages[${index}]`;
  const role = roles.get(message['role']);
  if (role === undefined) {
    const shown = JSON.stringify(message['role'])?.slice(0, 80) ?? 'none';
    throw badField(
      `${param}.role`,
      `${shown} can't be passed on: system, developer, user or assistant is expected.`,
    );
  }
  for (const field of ['tool_calls', 'function_call', 'audio']) {
    if (message[field] !== undefined && message[field] !== null)
      throw badField(`${param}.${field}`, 'only what was said in words can be passed on.');
  }
  return { role, text: readContent(message['content'], `${param}.content`), param: `${param}.content` };
}

export const roles: ReadonlyMap<unknown, GivenMessage['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);
