import { type Fields, readFields, readList, readText } from './check-fields.js';
import { badField } from './open-ai-problem.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { roles } from './read-chat-request.js';
import { readCommon, readEffort } from './read-common.js';
import { type GivenMessage, readContent, splitConversation } from './read-content.js';

/** Reads the body of `POST /v1/responses`. */
export function readResponseRequest(body: Fields): OpenAiRequest {
  const common = readCommon(body);
  const { input } = body;
  const messages: readonly GivenMessage[] =
    typeof input === 'string'
      ? [{ role: 'user', text: readContent(input, 'input'), param: 'input' }]
      : readList('input', input).flatMap(readItem);
  const instructions = readContent(body['instructions'], 'instructions');
  return {
    ...common,
    ...splitConversation(messages, 'input', [instructions]),
    previousResponse: readText('previous_response_id', body['previous_response_id']),
    thinking: readEffort('reasoning.effort', readFields('reasoning', body['reasoning'])['effort']),
  };
}

function readItem(item: Fields, index: number): readonly GivenMessage[] {
  const param = `input[${index}]`;
  const type = item['type'] ?? 'message';
  // Clients send back the items of earlier answers. What a model thought is nothing that was said.
  if (type === 'reasoning') return [];
  if (type !== 'message') {
    const shown = JSON.stringify(type).slice(0, 80);
    throw badField(param, `${shown} can't be passed on: only messages can. ${ownTools}`, 'unsupported_value');
  }
  const role = roles.get(item['role']);
  if (role === undefined)
    throw badField(`${param}.role`, 'system, developer, user or assistant is expected.');
  return [{ role, text: readContent(item['content'], `${param}.content`), param: `${param}.content` }];
}

const ownTools = 'Agents use their own tools.';
