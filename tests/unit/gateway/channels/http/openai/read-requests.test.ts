import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../../../../src/gateway/channels/http/openai/check-fields.js';
import { OpenAiProblem } from '../../../../../../src/gateway/channels/http/openai/open-ai-problem.js';
import { readChatRequest } from '../../../../../../src/gateway/channels/http/openai/read-chat-request.js';
import { readResponseRequest } from '../../../../../../src/gateway/channels/http/openai/read-response-request.js';

const hello = [{ role: 'user', content: 'hello' }];

describe('a chat completion’s request', () => {
  it('is a prompt, what was said before it, and instructions (16.3)', () => {
    const request = readChatRequest({
      model: 'codex/gpt-5',
      user: 'ada',
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
        { role: 'assistant', content: 'three' },
        { role: 'assistant', content: null },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'four' },
      ],
    });
    expect(request).toEqual({
      model: 'codex/gpt-5',
      channel: { id: 'ada', param: 'user' },
      stream: true,
      includeUsage: true,
      metadata: {},
      instructions: 'Be brief.\n\nBe kind.',
      history: [
        { role: 'user', text: 'one\ntwo' },
        { role: 'assistant', text: 'three' },
      ],
      prompt: 'four',
      thinking: { depth: 'high', param: 'reasoning_effort' },
    });
  });

  it('may hold what has no effect here (16.3)', () => {
    const body = {
      ...{ temperature: 0, max_tokens: 5, top_p: 1, seed: 7, stop: ['x'], n: 1, store: false, tools: [] },
      ...{ tool_choice: 'none', response_format: { type: 'text' }, logprobs: false, modalities: ['text'] },
      ...{ messages: hello, something_new: { a: 1 }, metadata: { channel: 'home' }, user: 'ada' },
    };
    expect(readChatRequest(body)).toMatchObject({
      model: 'default',
      channel: { id: 'home', param: 'metadata.channel' },
      prompt: 'hello',
      stream: false,
    });
  });

  it.each<[string, Fields]>([
    ['n', { n: 2 }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['tool_choice', { tool_choice: 'required' }],
    ['logprobs', { logprobs: true }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['audio', { audio: { voice: 'alloy' } }],
    ['background', { background: true }],
    ['stream', { stream: 'yes' }],
    ['model', { model: 5 }],
    ['user', { user: '\ud800' }],
    ['user', { user: 7 }],
    ['metadata.channel', { metadata: { channel: '../x' } }],
    ['metadata.tags', { metadata: { tags: ['a'] } }],
    ['stream_options.include_usage', { stream_options: { include_usage: 1 } }],
    ['messages', { messages: [] }],
    ['messages', { messages: 'hello' }],
    ['messages', { messages: [...hello, { role: 'assistant', content: 'prefix' }] }],
    ['messages[0]', { messages: ['hello'] }],
    ['messages[0].role', { messages: [{ role: 'tool', content: 'x' }, ...hello] }],
    ['messages[0].tool_calls', { messages: [{ role: 'assistant', tool_calls: [{}] }, ...hello] }],
    ['messages[0].content', { messages: [{ role: 'user', content: ' \n' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 'half \ud800' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
    [
      'messages[0].content[1]',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image_url' }] }] },
    ],
    ['messages[0].content[0]', { messages: [{ role: 'user', content: [null] }] }],
    ['messages[0].content[0].text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
  ])('is refused by the name of %s: %j (16.3)', (param, body) => {
    expect(problemOf(() => readChatRequest({ messages: hello, ...body }))).toMatchObject({
      status: 400,
      param,
    });
  });
});

describe('a response’s request', () => {
  it('is a text, or items like those that came back (16.3)', () => {
    expect(
      readResponseRequest({ input: 'hello', instructions: 'Be brief.', reasoning: { effort: 'none' } }),
    ).toMatchObject({
      prompt: 'hello',
      history: [],
      instructions: 'Be brief.',
      thinking: { depth: 'off', param: 'reasoning.effort' },
    });
    const request = readResponseRequest({
      previous_response_id: 'resp_1',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'one' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'two', annotations: [] }],
        },
        { type: 'message', role: 'user', content: 'three' },
      ],
    });
    expect(request).toMatchObject({
      previousResponse: 'resp_1',
      history: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
      ],
      prompt: 'three',
    });
  });

  it.each<[string, Fields]>([
    ['input', { input: undefined }],
    ['input[0]', { input: [{ type: 'function_call_output', output: 'x' }] }],
    ['input[0].content[0]', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    ['input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
    ['text.format', { text: { format: { type: 'json_schema' } } }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['previous_response_id', { previous_response_id: 7 }],
    ['reasoning', { reasoning: 'high' }],
  ])('is refused by the name of %s: %j (16.3)', (param, body) => {
    expect(problemOf(() => readResponseRequest({ input: 'hello', ...body }))).toMatchObject({
      status: 400,
      param,
    });
  });
});

function problemOf(read: () => unknown): OpenAiProblem {
  try {
    read();
  } catch (error) {
    if (error instanceof OpenAiProblem) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
