import { describe, expect, it } from 'vitest';
import type { VendorName } from '../../../../src/backends/names.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { decodeOutput } from '../../../property/decode-output.js';

describe("Claude's events", () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'opus' };
  const delta = (text: string) => ({
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  });
  const says = (text: string, more = {}) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    ...more,
  });
  const result = (text: string, more = {}) => ({ type: 'result', subtype: 'success', result: text, ...more });

  it('a block that follows its own pieces is not said twice', () => {
    const events = decode('claude', init, delta('one '), delta('two'), says('one two'), result('one two'));
    expect(texts(events)).toEqual(['one ', 'two']);
  });

  it('a block that came whole after a broken stream goes on where the pieces ended', () => {
    const events = decode(
      'claude',
      init,
      delta('aa '),
      delta('bb '),
      says('aa bb cc dd'),
      result('aa bb cc dd'),
    );
    expect(texts(events).join('')).toBe('aa bb cc dd');
  });

  it('a very long block is known again by its beginning', () => {
    const pieces = Array.from({ length: 100 }, (_, at) => `${at} `.repeat(50));
    const events = decode(
      'claude',
      init,
      ...pieces.map(delta),
      says(pieces.join('')),
      result(pieces.join('')),
    );
    expect(texts(events).join('')).toBe(pieces.join(''));
  });

  it('two answers that begin alike are both said', () => {
    const tool = {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
    };
    const events = decode(
      'claude',
      init,
      delta('same'),
      says('same'),
      tool,
      delta('same'),
      says('same'),
      result('same'),
    );
    expect(texts(events)).toEqual(['same', 'same']);
  });

  it("a subagent's words are not the answer, its tools are shown", () => {
    const parent = { parent_tool_use_id: 'task' };
    const events = decode(
      'claude',
      init,
      says('inner', parent),
      { ...delta('inner'), ...parent },
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] },
        ...parent,
      },
      says('outer'),
      result('outer'),
    );
    expect(texts(events)).toEqual(['outer']);
    expect(events).toContainEqual({ type: 'tool_start', id: 't', name: 'Read', input: {} });
  });

  it('retries and limits are warnings, whatever numbers they hold', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 600,
      error_status: 429,
      error: 'rate_limit',
    };
    const limit = (resetsAt: unknown) => ({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt },
    });
    const strange = { toString: 1, valueOf: 1 };
    const events = decode(
      'claude',
      init,
      retry,
      { ...retry, attempt: strange, retry_delay_ms: strange, error_status: strange, max_retries: null },
      limit(1767225600),
      limit(1e300),
      limit(-1),
      says('x'),
      result('x'),
    );
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(notices[0]).toBe('The API failed (429, rate_limit); Claude tries again: retry 1 of 10 in 0.6 s');
    expect(notices[2]).toBe('Rate limit: rejected, until 2026-01-01T00:00:00.000Z');
    expect(notices.slice(3)).toEqual(['Rate limit: rejected', 'Rate limit: rejected']);
  });

  it('the words of an API error are no words of the agent', () => {
    const events = decode(
      'claude',
      init,
      says('API Error: …', { error: 'rate_limit' }),
      result('API Error: …', { is_error: true, api_error_status: 429 }),
    );
    expect(texts(events)).toEqual([]);
  });

  it("tokens count all that was read; the cost is this turn's", () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 30,
      output_tokens: 7,
    };
    const events = decode('claude', init, says('x'), result('x', { usage, total_cost_usd: 0.5 }));
    expect(events).toContainEqual({
      type: 'usage',
      inputTokens: 60,
      outputTokens: 7,
      cachedInputTokens: 30,
      costUsd: 0.5,
    });
  });
});

describe("Codex's events", () => {
  const started = { type: 'thread.started', thread_id: 't' };
  const completed = { type: 'turn.completed', usage: {} };
  const item = (fields: object) => ({ type: 'item.completed', item: fields });

  it('the tools of a thread have names, inputs and outputs', () => {
    const events = decode(
      'codex',
      started,
      {
        type: 'item.started',
        item: { id: 'a', type: 'command_execution', command: 'ls', status: 'in_progress' },
      },
      item({
        id: 'a',
        type: 'command_execution',
        command: 'ls',
        aggregated_output: 'x\n',
        exit_code: 3,
        status: 'failed',
      }),
      item({
        id: 'b',
        type: 'file_change',
        changes: [{ path: '/w/new.txt', kind: 'add' }],
        status: 'completed',
      }),
      item({
        id: 'c',
        type: 'mcp_tool_call',
        server: 'echo',
        tool: 'ping',
        arguments: { x: 1 },
        result: { content: [{ type: 'text', text: 'pong' }] },
        error: null,
        status: 'completed',
      }),
      item({
        id: 'd',
        type: 'mcp_tool_call',
        server: 'echo',
        tool: 'ping',
        error: { message: 'no' },
        status: 'failed',
      }),
      item({ id: 'e', type: 'agent_message', text: 'done' }),
      completed,
    );
    expect(events.filter(({ type }) => type.startsWith('tool_'))).toEqual([
      { type: 'tool_start', id: 'a', name: 'shell', input: { command: 'ls' } },
      { type: 'tool_end', id: 'a', output: 'x\n', isError: true },
      {
        type: 'tool_start',
        id: 'b',
        name: 'apply_patch',
        input: { changes: [{ path: '/w/new.txt', kind: 'add' }] },
      },
      { type: 'tool_end', id: 'b', output: 'add /w/new.txt', isError: false },
      { type: 'tool_start', id: 'c', name: 'echo.ping', input: { x: 1 } },
      { type: 'tool_end', id: 'c', output: 'pong', isError: false },
      { type: 'tool_start', id: 'd', name: 'echo.ping', input: {} },
      { type: 'tool_end', id: 'd', output: 'no', isError: true },
    ]);
  });

  it('errors on the way are warnings; only turn.failed is a failure (R3.6)', () => {
    const reconnecting = { type: 'error', message: 'Reconnecting... 1/5' };
    const warning = item({ id: 'w', type: 'error', message: 'Model metadata not found' });
    const events = decode(
      'codex',
      started,
      reconnecting,
      warning,
      item({ id: 'm', type: 'agent_message', text: 'hi' }),
      completed,
    );
    expect(events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))).toEqual([
      'Reconnecting... 1/5',
      'Model metadata not found',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'hi' });
    expect(decode('codex', started, { type: 'turn.failed', error: { message: 'no' } }).at(-1)).toMatchObject({
      type: 'error',
      message: 'no',
    });
  });
});

describe("Gemini's events", () => {
  it('the reason of a failed turn is the error reported before, where its result has none', () => {
    const init = { type: 'init', session_id: 's' };
    const error = { type: 'error', severity: 'error', message: 'The model returned an empty response' };
    expect(
      decode('gemini', init, error, { type: 'result', status: 'error', stats: {} }).at(-1),
    ).toMatchObject({
      message: 'The model returned an empty response',
    });
    const own = {
      type: 'result',
      status: 'error',
      error: { message: '[API Error: {"error":{"message":"inner"}}]' },
    };
    expect(decode('gemini', init, error, own).at(-1)).toMatchObject({ message: 'inner' });
  });

  it('a document with an error is a failure, with an answer or without (R4.6)', () => {
    for (const response of [undefined, '', 'half an answer']) {
      const events = decode('gemini', { session_id: 's', response, error: { message: 'no', code: 401 } });
      expect(events.at(-1)).toMatchObject({ type: 'error', message: 'no' });
    }
  });
});

describe("OpenCode's events", () => {
  it('the tokens of its steps add up', () => {
    const finish = (reason: string) => ({
      type: 'step_finish',
      sessionID: 's',
      part: {
        reason,
        cost: 0.1,
        tokens: { input: 30, output: 5, reasoning: 2, cache: { read: 30, write: 1 } },
      },
    });
    const tool = {
      type: 'tool_use',
      sessionID: 's',
      part: { tool: 'bash', callID: 'c', state: { status: 'error', error: 'refused', input: {} } },
    };
    const events = decode(
      'opencode',
      tool,
      finish('tool-calls'),
      { type: 'text', part: { text: 'x' } },
      finish('stop'),
    );
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens: 122, outputTokens: 14, cachedInputTokens: 60, costUsd: 0.2 },
    });
    expect(events).toContainEqual({ type: 'tool_end', id: 'c', output: 'refused', isError: true });
  });
});

describe.each(['claude', 'codex', 'gemini', 'opencode'] as const)('what %s does not know', (cli) => {
  it('is kept as a notice with the line as it was, shortened when it is huge', () => {
    const events = decode(cli, { type: 'brand_new', value: 1 });
    expect(events[0]).toEqual({
      type: 'notice',
      level: 'info',
      message: expect.any(String),
      raw: '{"type":"brand_new","value":1}',
    });
    const [huge] = decode(cli, { type: 'brand_new', value: 'x'.repeat(1_000_000) });
    expect(huge?.type === 'notice' && (huge.raw?.length ?? 0)).toBeLessThan(300_000);
  });
});

function decode(cli: VendorName, ...values: readonly object[]): readonly ChatEvent[] {
  return decodeOutput(cli, [Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))]);
}

function texts(events: readonly ChatEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}
