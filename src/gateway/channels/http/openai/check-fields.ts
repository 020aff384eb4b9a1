import { badField } from './open-ai-problem.js';

/** The body of a request, of which only the fields that mean something here are read. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Refuses what an agent can't do, by the field's name: a program that relies on it has to know. Fields of sampling, limits and
 * billing (`temperature`, `max_tokens`, `store`, …) are taken and have no effect.
 */
export function refuseUnsupported(body: Fields): void {
  const { n, background, tools, functions, tool_choice: choice, function_call: call, modalities } = body;
  if (isGiven(n) && n !== 1) throw unsupported('n', 'an agent gives one answer.');
  if (isGiven(background) && background !== false)
    throw unsupported('background', 'leave it out, and read the answer later: GET /v1/responses/<id>.');
  if (isFilled(tools)) throw unsupported('tools', ownTools);
  if (isFilled(functions)) throw unsupported('functions', ownTools);
  for (const [param, value] of Object.entries({ tool_choice: choice, function_call: call }))
    if (isGiven(value) && value !== 'none' && value !== 'auto') throw unsupported(param, ownTools);
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'))
    throw unsupported('modalities', 'agents answer with text only.');
  for (const param of ['audio', 'web_search_options', 'prompt', 'conversation'])
    if (isGiven(body[param])) throw unsupported(param, reasons[param] ?? ownTools);
  if (body['logprobs'] === true) throw unsupported('logprobs', 'no CLI tells them.');
  if (isGiven(body['top_logprobs']) && body['top_logprobs'] !== 0)
    throw unsupported('top_logprobs', 'no CLI tells them.');
  checkFormat('response_format', body['response_format']);
  checkFormat('text.format', readFields('text', body['text'])['format']);
}

const ownTools = 'agents use their own tools, not those of a request.';

const reasons: Readonly<Record<string, string>> = {
  audio: 'agents answer with text only.',
  prompt: 'there are no stored prompts here: send the text.',
  conversation: 'go on with previous_response_id, or name a conversation with metadata.channel.',
};

function checkFormat(param: string, format: unknown): void {
  if (!isGiven(format) || (format as Fields)['type'] === 'text') return;
  throw unsupported(param, 'agents answer with text: ask for the format in words.');
}

function unsupported(param: string, why: string) {
  return badField(param, why, 'unsupported_parameter');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFilled(value: unknown): boolean {
  return isGiven(value) && !(Array.isArray(value) && value.length === 0);
}

/** An object of fields; an absent one has none. */
export function readFields(param: string, value: unknown): Fields {
  if (!isGiven(value)) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw badField(param, 'an object is expected.');
}

export function readText(param: string, value: unknown): string | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value === 'string') return value;
  throw badField(param, 'a text is expected.');
}

export function readFlag(param: string, value: unknown): boolean {
  if (!isGiven(value)) return false;
  if (typeof value === 'boolean') return value;
  throw badField(param, 'true or false is expected.');
}

export function readList(param: string, value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) throw badField(param, 'a list is expected.');
  return value.map((entry, index) => readFields(`${param}[${index}]`, entry));
}
