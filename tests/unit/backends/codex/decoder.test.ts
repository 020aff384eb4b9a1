import { describe, expect, it } from 'vitest';
import { codexDecoder, type KnownThread } from '../../../../src/backends/codex/decoder.js';
import { LineDecoder } from '../../../../src/backends/one-shot/decoder.js';

const started = { type: 'thread.started', thread_id: 't' };
const error = (message: string) => ({ type: 'error', message });
const failed = (message: string) => ({ type: 'turn.failed', error: { message } });

describe('the end of a failed run of Codex, as 0.166 prints it', () => {
  const disconnected = 'stream disconnected before completion: ';
  it.each([
    [`${disconnected}Incomplete response returned, reason: content_filter`, 'bad_request'],
    ['Incomplete response returned, reason: max_output_tokens', 'bad_request'],
    [`${disconnected}error sending request`, 'network'],
    ['{"error":{"message":"no rate limit is set","type":"invalid_request_error"}}', 'bad_request'],
    ['The deployment for this resource is unknown.', 'bad_request'],
    ["Codex ran out of room in the model's context window. Start a new thread.", 'bad_request'],
    ['Flex capacity unavailable.', 'overloaded'],
    ['unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:1/v1/responses', 'auth'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit'],
    ['Fatal error: the sky has fallen', undefined],
    ['No such file or directory (os error 2)', undefined],
    ['', undefined],
  ])('%s: %s', (message, code) => {
    const { state } = decode([started, error(message), failed(message)]);
    expect(state.ending).toEqual({
      type: 'failed',
      message: message || 'the turn failed',
      ...(code === undefined ? {} : { code }),
    });
  });

  it('is told once, and a retry at once', () => {
    const decoder = new LineDecoder(codexDecoder());
    const line = (value: unknown) => decoder.line(JSON.stringify(value));
    line(started);
    expect(line(error('Reconnecting... 1/1 (no)'))).toMatchObject([{ type: 'notice' }]);
    expect(line(error('no'))).toEqual([]);
    expect(line(failed('no'))).toEqual([]);
    expect(decoder.state.ending).toMatchObject({ type: 'failed', message: 'no' });
  });

  it('is not swallowed where it was not the end', () => {
    const { notices, state } = decode([
      started,
      error('Falling back to HTTPS'),
      { type: 'turn.completed', usage: {} },
    ]);
    expect(notices).toEqual(['Falling back to HTTPS']);
    expect(state.ending).toMatchObject({ type: 'answered' });
    expect(decode([started, error('one'), failed('another')]).notices).toEqual(['one']);
  });

  it('is the error, where nothing follows it', () => {
    expect(decode([started, error('cut off')]).state.ending).toMatchObject({
      type: 'failed',
      message: 'cut off',
    });
  });
});

describe('the plan of a run of Codex', () => {
  it('is told at each change as a call of update_plan', () => {
    const list = (completed: boolean) => ({
      id: 'item_1',
      type: 'todo_list',
      items: [{ text: 'look', completed }],
    });
    const { events } = decode([
      started,
      { type: 'item.started', item: list(false) },
      { type: 'item.updated', item: list(true) },
      { type: 'item.updated', item: { id: 'item_2', type: 'command_execution' } },
      { type: 'item.completed', item: list(true) },
    ]);
    const tools = events.filter((event) => event.type === 'tool_start');
    expect(tools.map(({ id, name, input }) => [id, name, input])).toEqual([
      ['plan-1', 'update_plan', { plan: [{ step: 'look', status: 'pending' }] }],
      ['plan-2', 'update_plan', { plan: [{ step: 'look', status: 'completed' }] }],
    ]);
  });
});

describe('the model of a run of Codex', () => {
  it('is the one that was asked for', () => {
    expect(decode([started], { model: 'gpt-x' }).events).toEqual([
      { type: 'session', sessionId: 't', backend: 'codex', model: 'gpt-x' },
    ]);
    expect(decode([started]).events).toEqual([{ type: 'session', sessionId: 't', backend: 'codex' }]);
  });
});

function decode(lines: readonly unknown[], known?: KnownThread) {
  const decoder = new LineDecoder(codexDecoder(known));
  const events = [...lines.flatMap((line) => decoder.line(JSON.stringify(line))), ...decoder.end()];
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
  return { events, notices, state: decoder.state };
}
