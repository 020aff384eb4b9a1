import type { HistoryMessage } from '../../../../store/store.js';
import { isWholeText, notWholeText } from '../whole-text.js';
import { badField, type OpenAiProblem } from './open-ai-problem.js';

/** The texts of a message's content. Anything but text is refused by its name: an agent would never see it. */
export function readContent(content: unknown, param: string): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return wholeText(content, param);
  if (!Array.isArray(content)) throw badField(param, 'a text, or a list of content parts, is expected.');
  return content.map((part, index) => readPart(part, `${param}[${index}]`)).join('\n');
}

const textParts: readonly unknown[] = ['text', 'input_text', 'output_text'];

function readPart(part: unknown, param: string): string {
  if (typeof part === 'string') return wholeText(part, param);
  const { type, text, refusal } = (part ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'refusal' && typeof refusal === 'string') return wholeText(refusal, param);
  if (!textParts.includes(type)) throw notText(type, param);
  if (typeof text === 'string') return wholeText(text, `${param}.text`);
  throw badField(`${param}.text`, 'a text is expected.');
}

function notText(type: unknown, param: string): OpenAiProblem {
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 80)) : 'a part without a type';
  return badField(
    param,
    `${shown} can't be passed on: only text can. An agent reads files and images in its own directory: name their paths.`,
    'unsupported_value',
  );
}

function wholeText(text: string, param: string): string {
  if (isWholeText(text)) return text;
  throw badField(param, `${notWholeText}.`);
}

/** A message with the field that it came from. */
export interface GivenMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  readonly param: string;
}

export interface Conversation {
  readonly instructions?: string | undefined;
  readonly history: readonly HistoryMessage[];
  readonly prompt: string;
}

/** The last message is the prompt. Whatever system and developer messages say is told to the agent as instructions. */
export function splitConversation(
  messages: readonly GivenMessage[],
  param: string,
  instructions: readonly string[] = [],
): Conversation {
  const told = [
    ...instructions,
    ...messages.filter(({ role }) => role === 'system').map(({ text }) => text),
  ].filter((text) => text.trim() !== '');
  const said = messages.flatMap(({ role, text, param: at }) =>
    role === 'system' ? [] : [{ role, text, at }],
  );
  const last = said.at(-1);
  if (last?.role !== 'user') throw badField(param, 'the last message has to be one of the user.');
  if (last.text.trim() === '') throw badField(last.at, 'it is blank.');
  const history = said
    .slice(0, -1)
    .filter(({ text }) => text.trim() !== '')
    .map(({ role, text }) => ({ role, text }));
  return { instructions: told.length === 0 ? undefined : told.join('\n\n'), history, prompt: last.text };
}
