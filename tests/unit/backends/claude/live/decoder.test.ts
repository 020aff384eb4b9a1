import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSteer,
  answerQuestion,
  beginTurn,
  endTurn,
  stepLive,
} from '../../../../../src/backends/claude/live/decoder.js';
import { type ClaudeLiveState, liveState } from '../../../../../src/backends/claude/live/state.js';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import { isObject, type JsonObject } from '../../../../../src/backends/output/json.js';
import type { PermissionDecision } from '../../../../../src/core/chat-event.js';
import { LineSplitter } from '../../../../../src/process/split-lines.js';

const directory = fileURLToPath(new URL('../../../../fixtures/recordings/claude/', import.meta.url));
const names = readdirSync(directory).flatMap((file) => /^(live-.*)\.jsonl$/.exec(file)?.[1] ?? []);

describe('what is said into a running turn', () => {
  const lifecycle = (id: string, state: string) => ({ type: 'command_lifecycle', command_uuid: id, state });
  const result = (text: string, ...ids: string[]) => ({
    type: 'result',
    subtype: 'success',
    session_id: 's',
    result: text,
    user_message_uuids: ids,
    usage: { input_tokens: 10, output_tokens: 5 },
  });
  const play = (messages: readonly JsonObject[]) => {
    let [state] = beginTurn(liveState(0), 'ours');
    const seen: LiveEvent[] = [];
    for (const message of [lifecycle('ours', 'queued'), lifecycle('ours', 'started')]) {
      [state] = stepLive(state, message, '');
    }
    state = addSteer(state, 'more');
    for (const message of messages) {
      expect(seen.map(({ type }) => type)).not.toContain('ending');
      const [next, events] = stepLive(state, message, '');
      state = next;
      seen.push(...events);
    }
    return { state, seen };
  };

  it('and taken up in it: its result is the end', () => {
    const taken = [lifecycle('more', 'queued'), lifecycle('more', 'started'), lifecycle('more', 'completed')];
    const { seen, state } = play([...taken, result('both', 'ours', 'more')]);
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'both' });
    expect(state.turn).toBeUndefined();
  });

  it('and taken up in a turn of its own: both are one', () => {
    const call = (input_tokens: number) => ({
      type: 'stream_event',
      event: { type: 'message_start', message: { usage: { input_tokens } } },
    });
    const both = (...second: readonly JsonObject[]) =>
      play([
        lifecycle('more', 'queued'),
        call(10),
        result('first', 'ours'),
        lifecycle('ours', 'completed'),
        lifecycle('more', 'started'),
        ...second,
        result('second', 'more'),
      ]).seen;
    const seen = both();
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'first\n\nsecond' });
    const usage = { inputTokens: 20, outputTokens: 10 };
    const last = (events: readonly LiveEvent[]) => events.findLast(({ type }) => type === 'usage');
    expect(last(seen)).toMatchObject({ ...usage, contextTokens: 10 });
    expect(last(both(call(25)))).toMatchObject({ ...usage, contextTokens: 25 });
  });

  it('and read by Claude only when the turn is over: the same', () => {
    const later = [lifecycle('more', 'queued'), lifecycle('more', 'started'), result('second', 'more')];
    const { seen } = play([result('first', 'ours'), ...later]);
    expect(endingOf(seen)).toMatchObject({ text: 'first\n\nsecond' });
  });

  it('and taken back between two turns: the first was all', () => {
    const { seen } = play([
      lifecycle('more', 'queued'),
      result('first', 'ours'),
      lifecycle('more', 'cancelled'),
    ]);
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'first' });
  });

  it('and a failure before it is taken up is reported, and is not the end', () => {
    const failed = {
      ...result('', 'ours'),
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['oh no'],
    };
    const { seen } = play([failed, lifecycle('more', 'started'), result('second', 'more')]);
    expect(seen).toContainEqual({
      type: 'notice',
      level: 'warning',
      message: 'The turn goes on after a failure: oh no',
    });
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'second' });
  });
});

describe('a turn of ours beside those that the agent begins by itself', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
  const capable = { ...init, capabilities: ['other_v1', 'msg_lifecycle_v1'] };
  const say = (text: string) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
  });
  const result = (text: string, more: object = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    usage: { input_tokens: 10, output_tokens: 5 },
    ...more,
  });
  const ofItsOwn = { origin: { kind: 'task-notification', producer: 'session-task' } };
  const names = (...ids: string[]) => ({ user_message_uuids: ids });
  const lifecycle = (id: string, state: string) => ({ type: 'command_lifecycle', command_uuid: id, state });
  const queued = lifecycle('ours', 'queued');
  const started = lifecycle('ours', 'started');
  const asks = {
    type: 'control_request',
    request_id: 'q',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
  };
  const reportsLifecycle: ClaudeLiveState = { ...liveState(0), reportsLifecycle: true };
  /** `steer` stands for a message that is said into the turn. */
  const play = (messages: readonly (JsonObject | 'steer')[], from = reportsLifecycle) => {
    let [state] = beginTurn(from, 'ours');
    const seen: LiveEvent[] = [];
    for (const message of messages) {
      expect(seen.map(({ type }) => type)).not.toContain('ending');
      const [next, events] = message === 'steer' ? [addSteer(state, 'more'), []] : step(state, message);
      state = next;
      seen.push(...events);
    }
    return { state, seen };
  };

  it.each([
    ['is known to report lifecycles', reportsLifecycle],
    ['is not known yet', liveState(0)],
  ])('begins with its lifecycle line, in a version that %s', (_, from) => {
    const { seen, state } = play(
      [queued, say('late'), { type: 'something new' }, started, init, say('hi'), result('hi', names('ours'))],
      from,
    );
    expect(kinds(seen)).toEqual(['session', 'text', 'usage', 'ending']);
    expect(texts(seen)).toEqual(['hi']);
    expect(endingOf(seen)).toEqual({ type: 'answered', stopReason: 'end_turn', text: 'hi' });
    expect(state.turn).toBeUndefined();
  });

  it('can fail before it begins, with a result that names it', () => {
    const { seen } = play([queued, result('no such model', { is_error: true, ...names('ours') })]);
    expect(endingOf(seen)).toMatchObject({ type: 'failed', message: 'no such model' });
  });

  it.each<[string, object]>([
    ['names no message', {}],
    ['is of a person', { origin: { kind: 'human' } }],
    ['has an origin of no kind', { origin: {} }],
    ['has an origin that is none', { origin: 'human' }],
    ['names it beside others', names('x', 'ours')],
    ['names it in the other spelling', { user_message_uuid: 'ours' }],
    ['names it, whatever its origin', { ...ofItsOwn, ...names('ours') }],
  ])('once begun is answered by a result that %s', (_, more) => {
    expect(endingOf(play([started, init, result('hi', more)]).seen)).toMatchObject({ text: 'hi' });
  });

  it.each<[string, object]>([
    ['names another message', names('x')],
    ['is of the agent’s own turn', ofItsOwn],
  ])('is not answered by a result that %s, and goes on', (_, more) => {
    const { seen } = play([
      started,
      init,
      say('a'),
      result('x', more),
      say('b'),
      result('ab', names('ours')),
    ]);
    expect(texts(seen)).toEqual(['a', 'b']);
    expect(endingOf(seen)).toMatchObject({ text: 'ab' });
  });

  it.each([
    ['with its origin', ofItsOwn],
    ['without', {}],
  ])('waits for the agent’s own turn to end, and keeps what that says apart: %s', (_, more) => {
    const { seen } = play([
      queued,
      init,
      say('woken up'),
      result('woken up', { ...more, total_cost_usd: 0.2 }),
      started,
      init,
      say('ours'),
      result('ours', { ...names('ours'), total_cost_usd: 0.5 }),
    ]);
    expect(kinds(seen)).toEqual(['notice', 'session', 'text', 'usage', 'ending']);
    expect(seen[0]).toMatchObject({ message: expect.stringContaining('woken up') });
    expect(endingOf(seen)).toMatchObject({ text: 'ours' });
    expect(seen.find(({ type }) => type === 'usage')).toMatchObject({ costUsd: expect.closeTo(0.3, 9) });
  });

  it('is answered by the agent’s own turn where Claude puts the message into it behind a tool’s result', () => {
    const { seen } = play([
      queued,
      init,
      say('woken up'),
      started,
      say('both'),
      result('both', { ...ofItsOwn, ...names('ours') }),
    ]);
    expect(texts(seen)).toEqual(['both']);
    expect(endingOf(seen)).toEqual({ type: 'answered', stopReason: 'end_turn', text: 'both' });
  });

  it.each([
    ['with its origin', ofItsOwn],
    ['without', {}],
  ])('and between whose two parts the agent goes on by itself keeps that apart: %s', (_, more) => {
    const { seen, state } = play([
      started,
      init,
      say('first'),
      'steer',
      result('first', names('ours')),
      init,
      say('woken up'),
      result('woken up', more),
      lifecycle('more', 'started'),
      init,
      say('second'),
      result('second', names('more')),
    ]);
    expect(texts(seen)).toEqual(['first', '\n\n', 'second']);
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'first\n\nsecond' });
    expect(seen.findLast(({ type }) => type === 'usage')).toMatchObject({ inputTokens: 20 });
    expect(seen.flatMap((event) => (event.type === 'notice' ? [event.message] : []))).toEqual([
      'Between the turns the agent went on by itself and said: woken up',
    ]);
    expect(state.turn).toBeUndefined();
  });

  it('is not begun by a first line that promises lifecycle lines, before which none came', () => {
    const own = [capable, say('woken up'), result('woken up', ofItsOwn)];
    const { seen } = play(
      [...own, queued, started, capable, say('hi'), result('hi', names('ours'))],
      liveState(0),
    );
    expect(kinds(seen)).toEqual(['notice', 'session', 'text', 'usage', 'ending']);
    expect(texts(seen)).toEqual(['hi']);
  });

  it('in a version that reports no lifecycle has begun at once: a result of the agent’s own begins it again', () => {
    const notOurs = {
      type: 'notice',
      level: 'warning',
      message: expect.stringContaining('belongs to a turn that the agent began by itself'),
    };
    const own = [init, say('woken up'), asks, result('woken up', { ...ofItsOwn, total_cost_usd: 0.2 })];
    const { seen, state } = play(
      [...own, init, say('ours'), result('ours', { total_cost_usd: 0.5 })],
      liveState(0),
    );
    expect(seen).toMatchObject([
      { type: 'session' },
      { type: 'text', text: 'woken up' },
      { type: 'permission_request', id: 'q' },
      { type: 'permission_resolved', id: 'q', decision: 'deny' },
      notOurs,
      { type: 'session' },
      { type: 'text', text: 'ours' },
      { type: 'usage', costUsd: expect.closeTo(0.3, 9) },
      { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn', text: 'ours' } },
    ]);
    expect(state.turn).toBeUndefined();
  });

  it('the same before a version has reported its first lifecycle', () => {
    const { seen } = play(
      [init, result('', ofItsOwn), queued, started, init, say('hi'), result('hi', names('ours'))],
      liveState(0),
    );
    expect(kinds(seen)).toEqual(['session', 'notice', 'session', 'text', 'usage', 'ending']);
    expect(endingOf(seen)).toMatchObject({ type: 'answered', text: 'hi' });
  });

  it('is not moved by what becomes of an earlier message', () => {
    const { seen } = play([
      lifecycle('earlier', 'cancelled'),
      started,
      init,
      lifecycle('earlier', 'queued'),
      say('hi'),
      result('hi', names('ours')),
    ]);
    expect(kinds(seen)).toEqual(['session', 'text', 'usage', 'ending']);
  });
});

describe('what is known of the agent between the turns', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };

  it('what it says there, also behind the result', () => {
    let state = liveState(0);
    [state] = step(state, init);
    [state] = step(state, { type: 'assistant', message: { content: [{ type: 'text', text: 'woken' }] } });
    [state] = step(state, { type: 'result', subtype: 'success', is_error: false, result: 'x' });
    expect(state.unpromptedText).toBe('woken');
  });

  it.each<[string, object, boolean]>([
    ['one that reports it', { capabilities: ['other_v1', 'msg_lifecycle_v1'] }, true],
    ['one that does not', { capabilities: ['other_v1'] }, false],
    ['an older one', {}, false],
    ['capabilities that are no list', { capabilities: 'msg_lifecycle_v1' }, false],
    ['another line', { subtype: 'api_retry', capabilities: ['msg_lifecycle_v1'] }, false],
  ])('its first line says whether it reports the lifecycle of messages: %s', (_, more, reports) => {
    for (const from of [beginTurn(liveState(0), 'ours')[0], liveState(0)]) {
      const [state] = step(from, { ...init, ...more });
      expect(state.reportsLifecycle).toBe(reports);
      const [again] = step(state, { ...init, ...more });
      expect(again.reportsLifecycle).toBe(reports);
    }
  });

  it('what a message has shown is not unlearned', () => {
    let state = liveState(0);
    [state] = step(state, { type: 'command_lifecycle', command_uuid: 'x', state: 'queued' });
    [state] = step(state, init);
    expect(state.reportsLifecycle).toBe(true);
  });
});

describe('recordings of a live Claude', () => {
  it('are there', () => expect(names.length).toBeGreaterThan(10));

  it('three turns, in pieces, each with its own usage', () => {
    const turns = replay('live-three-turns');
    expect(turns.map(texts)).toEqual([['Hello ', 'from the ', 'model.'], ['two'], ['three']]);
    for (const events of turns) {
      expect(kinds(events)).toEqual(['session', ...texts(events).map(() => 'text'), 'usage', 'ending']);
      expect(events.at(-2)).toEqual({
        type: 'usage',
        inputTokens: 60,
        outputTokens: 7,
        cachedInputTokens: 30,
        costUsd: expect.closeTo(0.000286, 9),
        contextTokens: 67,
        contextWindow: 1_000_000,
      });
      const text = texts(events).join('');
      expect(endingOf(events)).toEqual({ type: 'answered', stopReason: 'end_turn', text });
    }
  });

  it('thinking is no text', () => {
    const [events = []] = replay('live-thinking');
    expect(events.flatMap((event) => (event.type === 'thinking' ? [event.text] : []))).toEqual([
      'Let me ',
      'think.',
    ]);
    expect(texts(events)).toEqual(['The answer ', 'is 42.']);
  });

  it('a tool with its input and output', () => {
    const [events = []] = replay('live-tool');
    const start = events.find((event) => event.type === 'tool_start');
    expect(start).toMatchObject({ name: 'Bash', input: { command: 'echo made by a tool' } });
    expect(events).toContainEqual({
      type: 'tool_end',
      id: start?.id,
      output: 'made by a tool',
      isError: false,
    });
    expect(endingOf(events)).toMatchObject({ text: 'The tool said it.' });
  });

  it('permissions: allowed, denied, and taken back by an interrupt', () => {
    const turns = replay('live-permissions');
    expect(turns.map((events) => events.flatMap((event) => decisionOf(event)))).toEqual([
      ['allow'],
      ['deny'],
      ['deny'],
    ]);
    const [allowed = [], denied = [], taken = []] = turns;
    expect(allowed.find((event) => event.type === 'permission_request')).toEqual({
      type: 'permission_request',
      id: expect.any(String),
      tool: 'Bash',
      input: { command: 'touch allowed.txt', description: expect.any(String) },
      options: ['allow', 'allow_always', 'deny'],
      always: 'touch allowed.txt',
      toolId: allowed.find((event) => event.type === 'tool_start')?.id,
    });
    expect(denied.find((event) => event.type === 'tool_end')).toMatchObject({
      output: 'not on a Sunday',
      isError: true,
    });
    expect(endingOf(taken)).toMatchObject({ code: 'interrupted' });
  });

  it.each(['live-interrupt', 'live-interrupt-tool'])('%s: the next turn is a good one', (name) => {
    const [first = [], second = []] = replay(name);
    expect(endingOf(first)).toEqual({ type: 'failed', code: 'interrupted', message: 'Interrupted' });
    expect(endingOf(second)).toMatchObject({ type: 'answered', text: 'fine' });
    expect(texts(second)).toEqual(['fine']);
  });

  it.each([
    ['live-http-401', 'auth', '401, authentication_failed'],
    ['live-http-429', 'rate_limit', '429, rate_limit'],
  ])('%s is %s', (name, code, retry) => {
    const [events = [], after] = replay(name);
    expect(endingOf(events)).toMatchObject({ type: 'failed', code });
    expect(events.flatMap((event) => (event.type === 'notice' ? [event.message] : [])).join()).toContain(
      retry,
    );
    expect(texts(events)).toEqual([]);
    if (after !== undefined) expect(endingOf(after)).toMatchObject({ text: 'fine' });
  });

  it('a broken stream says nothing twice', () => {
    expect(texts(replay('live-broken-stream')[0] ?? []).join('')).toBe('aa bb cc');
  });

  it('a turn that the agent began by itself is reported, and not mixed into ours', () => {
    const [, second = []] = replay('live-unprompted');
    expect(texts(second)).toEqual(['the answer']);
    const [seen] = second;
    expect(seen).toMatchObject({ type: 'notice', message: expect.stringContaining('woken up') });
    expect(second.find((event) => event.type === 'usage')).toMatchObject({
      costUsd: expect.closeTo(0.000286, 9),
    });
  });

  it('/clear begins another session', () => {
    const sessions = replay('live-clear').map((events) =>
      events.flatMap((event) => (event.type === 'session' ? [event.sessionId] : [])),
    );
    expect(sessions.map((ids) => ids.length)).toEqual([1, 1, 1]);
    expect(sessions[1]).not.toEqual(sessions[0]);
    expect(sessions[2]).toEqual(sessions[1]);
  });

  it.each(names)('%s: one ending a turn, nothing behind it, every question settled', (name) => {
    for (const events of replay(name)) {
      expect(events.filter((event) => event.type === 'ending')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('ending');
      const settled = events.flatMap((event) => (event.type === 'permission_resolved' ? [event.id] : []));
      expect(settled).toEqual(
        events.flatMap((event) => (event.type === 'permission_request' ? [event.id] : [])),
      );
      for (const event of events) if ('text' in event) expect(event.text).not.toBe('');
    }
  });

  it.each(names)('%s: the same for any chunking of its bytes', (name) => {
    const expected = replay(name);
    const bytes = Buffer.from(
      recorded(name)
        .flatMap((entry) => (entry.in === undefined ? [] : [`${entry.in}\n`]))
        .join(''),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 30 }), (sizes) => {
        const splitter = new LineSplitter();
        const lines: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          lines.push(...splitter.push(bytes.subarray(at, at + size)).map(({ text }) => text));
          at += size;
        }
        expect(replay(name, lines)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});

describe("Claude's live decoder", () => {
  const begun = { type: 'command_lifecycle', command_uuid: 'ours', state: 'started' };
  const delta = (text: string) => ({
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  });
  const result = (fields: object) => ({ type: 'result', subtype: 'success', is_error: false, ...fields });

  it('never throws, whatever comes, and never ends a turn twice', () => {
    const json = fc.jsonValue() as fc.Arbitrary<unknown>;
    const known = fc.constantFrom(
      'system',
      'stream_event',
      'assistant',
      'user',
      'result',
      'rate_limit_event',
      'command_lifecycle',
      'control_request',
      'control_cancel_request',
      'control_response',
      'conversation_reset',
    );
    const fields = fc.dictionary(
      fc.constantFrom(
        'subtype',
        'message',
        'event',
        'request',
        'request_id',
        'state',
        'command_uuid',
        'user_message_uuids',
        'model_usage_since_last_result',
        'rate_limit_info',
        'usage',
        'errors',
        'origin',
        'capabilities',
      ),
      fc.oneof(json, fc.constantFrom('ours', 'started', 'cancelled', 'can_use_tool', 'init')),
    );
    const message = fc.record({ type: known, fields }).map((made) => ({ ...made.fields, type: made.type }));
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
        const events = goOn(messages, beginTurn(liveState(0), 'ours')[0]);
        expect(events.filter((event) => event.type === 'ending').length).toBeLessThanOrEqual(1);
        const end = events.findIndex((event) => event.type === 'ending');
        // Behind the ending come only requests that nobody knows: they are no part of a turn.
        if (end >= 0) {
          expect(events.slice(end + 1).every((event) => event.type === 'notice')).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('an unknown message is kept as a notice', () => {
    const [event] = run([begun, { type: 'brand_new', x: 1 }]);
    expect(event).toMatchObject({ type: 'notice', raw: '{"type":"brand_new","x":1}' });
  });

  it('a version that reports no lifecycle is understood too', () => {
    const events = run([delta('hi'), result({ result: 'hi', total_cost_usd: 0.5, usage: {} })]);
    expect(texts(events)).toEqual(['hi']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'usage', costUsd: 0.5 }));
    expect(endingOf(events)).toMatchObject({ text: 'hi' });
  });

  it('the cost is left out where it is not known what it was before', () => {
    const usage = (state: ClaudeLiveState) =>
      run([result({ result: 'x', total_cost_usd: 0.5, usage: {} })], state).find(
        (event) => event.type === 'usage',
      );
    expect(usage(liveState(undefined))).not.toHaveProperty('costUsd');
    expect(usage(liveState(0.2))).toMatchObject({ costUsd: expect.closeTo(0.3, 9) });
  });

  it('a result of another message ends nothing', () => {
    const events = run([begun, result({ result: 'x', user_message_uuid: 'theirs' })]);
    expect(kinds(events)).toEqual([]);
  });

  it('a message that is taken back before it began ends as interrupted', () => {
    const cancelled = { type: 'command_lifecycle', command_uuid: 'ours', state: 'cancelled' };
    const queued = { type: 'command_lifecycle', command_uuid: 'ours', state: 'queued' };
    expect(run([queued, cancelled])).toMatchObject([{ type: 'ending', ending: { code: 'interrupted' } }]);
    expect(run([queued, begun, cancelled])).toEqual([]);
  });

  it('a reached limit says when it ends', () => {
    const limit = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt: 1767225600 },
    };
    const failed = result({ is_error: true, api_error_status: 429, result: 'You have hit your limit' });
    const events = run([begun, limit, failed]);
    expect(endingOf(events)).toEqual({
      type: 'failed',
      code: 'rate_limit',
      message: 'You have hit your limit (the limit ends at 2026-01-01T00:00:00.000Z)',
      retryAt: 1767225600_000,
    });
  });

  it('an empty answer is left to whoever collects the text', () => {
    expect(endingOf(run([begun, result({ result: '' })]))).toEqual({
      type: 'answered',
      stopReason: 'end_turn',
    });
  });

  it('a turn that is ended from outside denies what was asked', () => {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } };
    let [state] = beginTurn(liveState(0), 'ours');
    [state] = step(state, { type: 'control_request', request_id: 'q', request });
    const [, events] = endTurn(state, { type: 'failed', code: 'crashed', message: 'gone' });
    expect(events).toEqual([
      { type: 'permission_resolved', id: 'q', decision: 'deny' },
      { type: 'ending', ending: { type: 'failed', code: 'crashed', message: 'gone' } },
    ]);
  });

  function run(messages: readonly JsonObject[], from = liveState(0)): LiveEvent[] {
    return goOn(messages, beginTurn(from, 'ours')[0]);
  }

  function goOn(messages: readonly JsonObject[], from: ClaudeLiveState): LiveEvent[] {
    let state = from;
    return messages.flatMap((message) => {
      const [next, events] = step(state, message);
      state = next;
      return [...events];
    });
  }
});

function step(state: ClaudeLiveState, message: JsonObject) {
  return stepLive(state, message, JSON.stringify(message));
}

interface Entry {
  readonly in?: string;
  readonly out?: string;
}

function recorded(name: string): readonly Entry[] {
  const file = readFileSync(`${directory}${name}.jsonl`, 'utf8');
  return file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The events of each turn. `lines`: what the CLI said, where it is not to be read from the recording itself. */
function replay(name: string, lines?: readonly string[]): LiveEvent[][] {
  const turns: LiveEvent[][] = [];
  let state = liveState(0);
  let at = 0;
  const take = ([next, events]: readonly [ClaudeLiveState, readonly LiveEvent[]]) => {
    state = next;
    turns.at(-1)?.push(...events);
  };
  for (const entry of recorded(name)) {
    const raw = entry.in === undefined ? entry.out : (lines?.[at++] ?? entry.in);
    const message: unknown = JSON.parse(raw ?? '');
    if (!isObject(message)) throw new Error(`not a message: ${raw}`);
    if (entry.in !== undefined) take(stepLive(state, message, entry.in));
    else if (message['type'] === 'user') {
      turns.push([]);
      expect(message['uuid']).toEqual(expect.any(String));
      take(beginTurn(state, String(message['uuid'])));
    } else if (message['type'] === 'control_response') take(answered(state, message));
  }
  return turns;
}

function answered(state: ClaudeLiveState, message: JsonObject) {
  const response = message['response'] as { request_id: string; response: { behavior: PermissionDecision } };
  return answerQuestion(state, response.request_id, response.response.behavior);
}

function texts(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}

function kinds(events: readonly LiveEvent[]): string[] {
  return events.map((event) => event.type);
}

function decisionOf(event: LiveEvent): readonly PermissionDecision[] {
  return event.type === 'permission_resolved' ? [event.decision] : [];
}

function endingOf(events: readonly LiveEvent[]) {
  const last = events.at(-1);
  return last?.type === 'ending' ? last.ending : undefined;
}
