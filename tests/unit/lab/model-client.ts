import type { ApiName } from '../../../src/lab/model/request.js';

/** The options of a request that a CLI's HTTP client would send for one prompt, per API. */
export interface PromptOptions {
  readonly stream?: boolean;
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly signal?: AbortSignal;
}

export const apiNames: readonly ApiName[] = ['anthropic', 'openai-responses', 'openai-chat', 'gemini'];

export function ask(
  url: string,
  api: ApiName,
  prompt: string,
  options: PromptOptions = {},
): Promise<Response> {
  const { path, body } = requests[api](prompt, options);
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

const schema = { type: 'object', properties: { command: {}, file_path: {}, content: {} } };

const requests: Readonly<
  Record<ApiName, (prompt: string, options: PromptOptions) => { path: string; body: object }>
> = {
  anthropic: (prompt, { stream = true, system, tools = [] }) => ({
    path: '/v1/messages?beta=true',
    body: {
      model: 'claude-test',
      max_tokens: 1000,
      stream,
      ...(system === undefined ? {} : { system: [{ type: 'text', text: system }] }),
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      tools: tools.map((name) => ({ name, description: '', input_schema: schema })),
    },
  }),
  'openai-responses': (prompt, { stream = true, system, tools = [] }) => ({
    path: '/v1/responses',
    body: {
      model: 'gpt-test',
      stream,
      instructions: system,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
      tools: tools.map((name) => ({ type: 'function', name, description: '', parameters: schema })),
    },
  }),
  'openai-chat': (prompt, { stream = true, system, tools = [] }) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'chat-test',
      stream,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: prompt },
      ],
      tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    },
  }),
  gemini: (prompt, { stream = true, system, tools = [] }) => ({
    path: `/v1beta/models/gemini-test:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: schema })) }],
    },
  }),
};

/** The content of a streamed answer, read the way each vendor's client reads it. */
export interface Heard {
  text: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  pieces: string[];
  stop: string | undefined;
  usage: unknown;
  error: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read wire JSON of four vendors
type Wire = any;

export async function hear(response: Response): Promise<Heard> {
  return hearText(await response.text());
}

export function hearText(body: string): Heard {
  const heard: Heard = {
    text: '',
    thinking: '',
    calls: [],
    pieces: [],
    stop: undefined,
    usage: undefined,
    error: undefined,
  };
  for (const frame of body.split('\n\n')) {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (data === undefined || data === '[DONE]') continue;
    hearEvent(JSON.parse(data), heard);
  }
  return heard;
}

function hearEvent(event: Wire, heard: Heard): void {
  const say = (text: string): void => {
    heard.text += text;
    heard.pieces.push(text);
  };
  if (event.error) heard.error = event.error;
  switch (event.type) {
    case 'content_block_start':
      if (event.content_block.type === 'tool_use')
        heard.calls.push({ name: event.content_block.name, input: '' });
      return;
    case 'content_block_delta': {
      const { delta } = event;
      if (delta.type === 'text_delta') say(delta.text);
      if (delta.type === 'thinking_delta') heard.thinking += delta.thinking;
      const call = heard.calls.at(-1);
      if (delta.type === 'input_json_delta' && call) call.input = JSON.parse(delta.partial_json);
      return;
    }
    case 'message_delta':
      heard.stop = event.delta.stop_reason;
      heard.usage = event.usage;
      return;
    case 'response.output_text.delta':
      say(event.delta);
      return;
    case 'response.reasoning_summary_text.delta':
      heard.thinking += event.delta;
      return;
    case 'response.output_item.done':
      if (event.item.type === 'function_call') {
        heard.calls.push({ name: event.item.name, input: JSON.parse(event.item.arguments) });
      }
      if (event.item.type === 'custom_tool_call') {
        heard.calls.push({ name: event.item.name, input: event.item.input });
      }
      return;
    case 'response.completed':
    case 'response.incomplete':
      heard.stop = event.response.status;
      heard.usage = event.response.usage;
      return;
    case 'response.failed':
      heard.error = event.response.error;
      return;
  }
  for (const choice of event.choices ?? []) {
    if (choice.delta.content) say(choice.delta.content);
    heard.thinking += choice.delta.reasoning_content ?? '';
    for (const call of choice.delta.tool_calls ?? []) {
      heard.calls.push({ name: call.function.name, input: JSON.parse(call.function.arguments) });
    }
    heard.stop = choice.finish_reason ?? heard.stop;
  }
  for (const candidate of event.candidates ?? []) {
    for (const part of candidate.content.parts) {
      if (part.functionCall)
        heard.calls.push({ name: part.functionCall.name, input: part.functionCall.args });
      else if (part.thought) heard.thinking += part.text;
      else if (part.text) say(part.text);
    }
    heard.stop = candidate.finishReason ?? heard.stop;
  }
  heard.usage = event.usage ?? event.usageMetadata ?? heard.usage;
}
