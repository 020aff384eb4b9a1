import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../src/lab/model/anthropic.js';
import { gemini } from '../../../src/lab/model/gemini.js';
import { openAiChat } from '../../../src/lab/model/openai-chat.js';
import { openAiResponses } from '../../../src/lab/model/openai-responses.js';

/** The same conversation as each CLI sends it: a prompt, a thought, a call, its result. Shapes seen on the wire. */
const conversations = [
  {
    api: anthropic,
    path: '/v1/messages?beta=true',
    body: {
      model: 'm',
      stream: true,
      system: [{ type: 'text', text: 'be good' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '<system-reminder>\ncontext\n</system-reminder>' },
            { type: 'text', text: 'do it\n' },
          ],
        },
        { role: 'system', content: [{ type: 'text', text: '# Environment' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt', is_error: false }],
        },
      ],
      tools: [{ name: 'Bash', input_schema: { properties: { command: {} } } }],
    },
  },
  {
    api: openAiResponses,
    path: '/v1/responses',
    body: {
      model: 'm',
      stream: true,
      input: [
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [{ type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'Bash' }] }],
        },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be good' }] },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '# Environment' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'do it\n' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
        { type: 'custom_tool_call', call_id: 'c1', name: 'Bash', input: 'ls' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'a.txt' }] },
      ],
    },
  },
  {
    api: openAiChat,
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'be good' },
        { role: 'system', content: '# Environment' },
        { role: 'user', content: 'do it\n' },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
      ],
      tools: [{ type: 'function', function: { name: 'Bash', parameters: { properties: { command: {} } } } }],
    },
  },
  {
    api: gemini,
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      systemInstruction: { parts: [{ text: 'be good' }, { text: '# Environment' }] },
      contents: [
        { role: 'user', parts: [{ text: '<session_context>\n…' }, { text: 'do it\n' }] },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { functionCall: { id: 'c1', name: 'Bash', args: { command: 'ls' } } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'Bash', response: { output: 'a.txt' } } }],
        },
      ],
      tools: [
        { functionDeclarations: [{ name: 'Bash', parametersJsonSchema: { properties: { command: {} } } }] },
      ],
    },
  },
];

describe.each(conversations)('$api.name', ({ api, path, body }) => {
  const read = api.read(body, path);

  it('reads model, instructions and prompt', () => {
    expect(read).toMatchObject({
      model: 'm',
      stream: true,
      system: 'be good\n\n# Environment',
      prompt: 'do it\n',
    });
  });

  it('reads the history', () => {
    const parts = read.messages
      .filter((message) => message.role !== 'system')
      .flatMap((message) => message.parts);
    expect(parts).toMatchObject([
      ...parts.filter((part) => part.type === 'text' && part.text.startsWith('<')),
      { type: 'text', text: 'do it\n' },
      { type: 'thinking', text: 'hm' },
      {
        type: 'tool_call',
        id: 'c1',
        name: 'Bash',
        input: api === openAiResponses ? 'ls' : { command: 'ls' },
      },
      { type: 'tool_result', id: 'c1', output: 'a.txt', isError: false },
    ]);
  });

  it('reads the results of the calls before and the tools offered', () => {
    expect(read.toolResults).toEqual([{ type: 'tool_result', id: 'c1', output: 'a.txt', isError: false }]);
    expect(read.tools).toMatchObject([{ name: 'Bash', freeform: api === openAiResponses }]);
  });

  it('survives garbage', () => {
    for (const garbage of [{}, { messages: 1, input: [null, 3], contents: [{ parts: 'x' }], tools: [[]] }]) {
      expect(api.read(garbage, path).prompt).toBe('');
    }
  });
});

it('the prompt of a request with referenced files is what was typed', () => {
  const parts = ['see @a.txt', '\n--- Content from referenced files ---', '\nContent from @a.txt:\n', 'AAA'];
  const body = { contents: [{ role: 'user', parts: parts.map((text) => ({ text })) }] };
  expect(gemini.read(body, '/v1beta/models/m:generateContent').prompt).toBe('see @a.txt');
});
