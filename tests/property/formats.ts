import { ClaudeCodeBackend } from '../../src/backends/claude-backend.js';
import { CodexBackend } from '../../src/backends/codex-backend.js';
import { GeminiBackend } from '../../src/backends/gemini-backend.js';
import type { VendorName } from '../../src/backends/names.js';
import { OpenCodeBackend } from '../../src/backends/opencode-backend.js';
import type { BackendAdapterConfig, BackendEventResult } from '../../src/backends/types.js';

/** One format in which a CLI prints an answer, today or in an older version. */
export interface Format {
  readonly backend: VendorName;
  readonly name: string;
  /** Returns the lines. One document over many lines can't have noise inside it. */
  print(text: string, id: string): readonly string[];
  readonly document?: true;
  readonly withoutId?: true;
}

export const create: Readonly<
  Record<
    VendorName,
    new (
      config: BackendAdapterConfig,
    ) => { parseOutput(stdout: string): BackendEventResult }
  >
> = { claude: ClaudeCodeBackend, codex: CodexBackend, gemini: GeminiBackend, opencode: OpenCodeBackend };

const of = (backend: VendorName, list: readonly Omit<Format, 'backend'>[]): readonly Format[] =>
  list.map((format) => ({ backend, ...format }));

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value));
const pretty = (value: unknown) => JSON.stringify(value, null, 2).split('\n');

const init = (id: string) => ({
  type: 'system',
  subtype: 'init',
  session_id: id,
  model: 'm',
  tools: ['Bash'],
});
const says = (text: string, id: string) => ({
  type: 'assistant',
  message: { id: 'msg_1', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  session_id: id,
});
const result = (text: string, id: string) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: id,
  total_cost_usd: 0.1,
  usage: { input_tokens: 1, output_tokens: 1 },
});
/** The answer is only in what was said before. */
const bareResult = (id: string) => {
  const { result: _, ...others } = result('', id);
  return others;
};
const delta = (text: string) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
});

const claude = of('claude', [
  { name: 'one result (R2.4)', print: (text, id) => lines(result(text, id)) },
  {
    name: 'one result, bare (R2.4)',
    print: (text, id) => lines({ type: 'result', result: text, session_id: id }),
  },
  { name: 'an array (R2.4)', print: (text, id) => lines([init(id), says(text, id), result(text, id)]) },
  {
    name: 'an array of init and result (R2.4)',
    print: (text, id) => lines([init(id), { type: 'result', result: text }]),
  },
  {
    name: 'an array over many lines',
    print: (text, id) => pretty([init(id), result(text, id)]),
    document: true,
  },
  { name: 'NDJSON (R2.4)', print: (text, id) => lines(init(id), says(text, id), result(text, id)) },
  {
    name: 'an array whose result has no text (R2.4)',
    print: (text, id) => lines([init(id), says(text, id), bareResult(id)]),
  },
  {
    name: 'NDJSON whose result has no text (R2.4)',
    print: (text, id) => lines(init(id), ...pieces(text).map(delta), bareResult(id)),
  },
  {
    name: 'NDJSON with partial messages',
    print: (text, id) =>
      lines(init(id), ...pieces(text).map(delta), says(text, id), { type: 'future_event' }, result(text, id)),
  },
]);

const codex = of('codex', [
  {
    name: 'threads and items (R3.6)',
    print: (text, id) =>
      lines(
        { type: 'thread.started', thread_id: id },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'On my way.' } },
        {
          type: 'item.completed',
          item: { id: 'item_1', type: 'command_execution', command: 'ls', status: 'completed' },
        },
        { type: 'error', message: 'Reconnecting... 1/5' },
        { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text } },
        { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
      ),
  },
  {
    name: 'one message alone (R3.6)',
    print: (text, id) => lines({ type: 'message', role: 'assistant', content: text, session_id: id }),
  },
  {
    name: 'messages of both sides',
    print: (text, id) =>
      lines(
        { type: 'message', role: 'user', content: 'question', session_id: id },
        { type: 'message', role: 'assistant', content: 'first', session_id: id },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], session_id: id },
      ),
  },
  {
    name: 'msg (before September 2025)',
    print: (text, id) =>
      lines(
        { id: '', msg: { type: 'session_configured', session_id: id } },
        { id: '0', msg: { type: 'task_started' } },
        { id: '0', msg: { type: 'agent_message', message: text } },
        { id: '0', msg: { type: 'task_complete', last_agent_message: text } },
      ),
  },
  {
    name: 'item_type (September 2025)',
    print: (text, id) =>
      lines(
        { type: 'session.created', session_id: id },
        { type: 'item.completed', item: { id: 'item_0', item_type: 'assistant_message', text } },
        { type: 'turn.completed', usage: {} },
      ),
  },
]);

const gemini = of('gemini', [
  {
    name: 'a document over many lines (R4.6)',
    print: (text, id) => pretty({ session_id: id, response: text, stats: { models: {} } }),
    document: true,
  },
  {
    name: 'a document on one line (R4.6)',
    print: (text, id) => lines({ response: text, session_id: id, stats: {}, error: null }),
  },
  {
    name: 'a document without an id (older)',
    print: (text) => pretty({ response: text, stats: {} }),
    document: true,
    withoutId: true,
  },
  {
    name: 'NDJSON',
    print: (text, id) =>
      lines(
        { type: 'init', session_id: id, model: 'm' },
        { type: 'message', role: 'user', content: 'question' },
        ...pieces(text).map((content) => ({ type: 'message', role: 'assistant', content, delta: true })),
        { type: 'result', status: 'success', stats: { input_tokens: 1, output_tokens: 1 } },
      ),
  },
  {
    name: 'NDJSON with sessionId (older)',
    print: (text, id) =>
      lines(
        { type: 'init', sessionId: id },
        { type: 'message', role: 'assistant', content: text },
        { type: 'result', status: 'success' },
      ),
  },
]);

const part = (type: string, id: string, fields: object) => ({
  type,
  sessionID: id,
  part: { sessionID: id, ...fields },
});

const opencode = of('opencode', [
  {
    name: 'events (R5.6)',
    print: (text, id) =>
      lines(
        part('step_start', id, { type: 'step-start' }),
        part('text', id, { type: 'text', text: 'On my way.' }),
        part('tool_use', id, {
          tool: 'bash',
          callID: 'c1',
          state: { status: 'completed', input: {}, output: '' },
        }),
        part('step_finish', id, { reason: 'tool-calls', tokens: {} }),
        part('step_start', id, { type: 'step-start' }),
        part('text', id, { type: 'text', text }),
        part('step_finish', id, { reason: 'stop', tokens: {} }),
      ),
  },
  {
    name: 'events without the last step_finish',
    print: (text, id) =>
      lines(part('step_start', id, {}), ...pieces(text).map((piece) => part('text', id, { text: piece }))),
  },
  {
    name: 'one result (older, R5.6)',
    print: (text, id) => lines({ type: 'result', text, session_id: id }),
  },
]);

export const formats: readonly Format[] = [...claude, ...codex, ...gemini, ...opencode];

/** Splits the text into three pieces, without cutting a character in two. */
function pieces(text: string): readonly string[] {
  const characters = [...text];
  const third = Math.ceil(characters.length / 3);
  return [0, 1, 2].map((index) => characters.slice(index * third, (index + 1) * third).join(''));
}
