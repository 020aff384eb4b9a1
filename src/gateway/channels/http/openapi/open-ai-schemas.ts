import * as z from 'zod';

// What OpenAI's clients send and get, for the OpenAPI document: the part of OpenAI's interface that the gateway has.

const text = z.string();
const count = z.int().min(0);
const seconds = z.int().min(0).describe('Unix time, in seconds.');
const nothing = z.null();

const model = z.strictObject({ id: text, object: z.literal('model'), created: seconds, owned_by: text });

const chatCompletion = z.strictObject({
  id: text,
  object: z.literal('chat.completion'),
  created: seconds,
  model: text,
  choices: z.array(
    z.strictObject({
      index: count,
      message: z.strictObject({ role: z.literal('assistant'), content: text, refusal: nothing }),
      logprobs: nothing,
      finish_reason: z.enum(['stop', 'length', 'content_filter']),
    }),
  ),
  usage: z
    .strictObject({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: z.strictObject({ cached_tokens: count }),
    })
    .exactOptional(),
});

const outputMessage = z.strictObject({
  id: text,
  type: z.literal('message'),
  status: z.enum(['in_progress', 'completed']),
  role: z.literal('assistant'),
  content: z.array(
    z.strictObject({
      type: z.literal('output_text'),
      text,
      annotations: z.array(z.unknown()),
      logprobs: z.array(z.unknown()),
    }),
  ),
});

const response = z.strictObject({
  id: text,
  object: z.literal('response'),
  created_at: seconds,
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: z.literal(false),
  completed_at: seconds.nullable(),
  error: z.strictObject({ code: z.enum(['rate_limit_exceeded', 'server_error']), message: text }).nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  instructions: text.nullable(),
  max_output_tokens: nothing,
  metadata: z.record(text, text).describe('`channel` is the conversation.'),
  model: text,
  output: z.array(outputMessage),
  parallel_tool_calls: z.literal(false),
  previous_response_id: text.nullable(),
  store: z.literal(true),
  temperature: nothing,
  text: z.strictObject({ format: z.strictObject({ type: z.literal('text') }) }),
  tool_choice: z.literal('none'),
  tools: z.array(z.unknown()),
  top_p: nothing,
  truncation: z.literal('disabled'),
  usage: z
    .strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .nullable(),
});

export const openAiAnswers = {
  OpenAiModel: model,
  OpenAiModels: z.strictObject({ object: z.literal('list'), data: z.array(model) }),
  OpenAiChatCompletion: chatCompletion,
  OpenAiResponse: response,
  OpenAiProblem: z.strictObject({
    error: z.strictObject({ message: text, type: text, param: text.nullable(), code: text.nullable() }),
  }),
} as const;

const said = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: z
    .union([text, z.array(z.looseObject({ type: text, text: text.exactOptional() }))])
    .describe('A text, or parts of text.'),
});

const common = {
  model: text.exactOptional().describe('`default`, a backend, or `<backend>/<model>`.'),
  stream: z.boolean().nullish(),
  metadata: z.record(text, text).nullish().describe('`channel` names the conversation.'),
  user: text.nullish().describe('Each user has a conversation; `metadata.channel` is stronger.'),
};

/** OpenAI has more fields. Those that would change the answer and can't be followed are refused, the others are left alone. */
export const openAiBodies = {
  OpenAiChatRequest: z.looseObject({
    ...common,
    messages: z.array(said),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    reasoning_effort: text.nullish(),
  }),
  OpenAiResponseRequest: z.looseObject({
    ...common,
    input: z.union([text, z.array(z.looseObject({ ...said.partial().shape, type: text.exactOptional() }))]),
    instructions: text.nullish(),
    previous_response_id: text.nullish(),
    reasoning: z.looseObject({ effort: text.nullish() }).nullish(),
  }),
} as const;
