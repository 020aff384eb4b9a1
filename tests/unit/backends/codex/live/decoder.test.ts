import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepCodexTurn } from '../../../../../src/backends/codex/live/decoder.js';
import {
  type CodexTurnState,
  newCodexTurnState,
  resolvePermission,
} from '../../../../../src/backends/codex/live/state.js';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import { TurnLedger } from '../../../../../src/core/turn-ledger.js';
import { LineSplitter } from '../../../../../src/process/split-lines.js';
import { chunksOf, cuts, noiseLine, runs } from '../../../../property/arbitraries.js';

/** The messages between a real app-server 0.166.0 and this client, against the scripted model. */
interface Entry {
  readonly to: 'client' | 'server';
  // biome-ignore lint/suspicious/noExplicitAny: a recording holds whatever was said
  readonly message: any;
}

const directory = new URL('../../../../fixtures/recordings/codex/', import.meta.url);
const names = readdirSync(directory).filter((name) => /^live-.*\.jsonl$/.test(name));

describe('what a recorded app-server said, as events', () => {
  it('is there', () => expect(names.length).toBeGreaterThan(10));

  it('three turns, each with its own text, answer and usage', () => {
    const turns = replay('three-turns');
    expect(turns.map(({ events }) => ofType(events, 'text').map(({ text }) => text))).toEqual([
      ['Hello ', 'from the ', 'model.'],
      ['Second.'],
      ['Third.'],
    ]);
    for (const { events } of turns) {
      expect(ofType(events, 'usage').at(-1)).toMatchObject({
        inputTokens: 60,
        outputTokens: 7,
        cachedInputTokens: 30,
      });
    }
    expect(turns.map(({ events }) => endingOf(events))).toEqual(
      ['Hello from the model.', 'Second.', 'Third.'].map((text) => ({
        type: 'answered',
        stopReason: 'end_turn',
        text,
      })),
    );
  });

  it('thoughts, a remark, a tool in the one-shot words, and the usage of both calls', () => {
    const events = only('thinking-tool');
    expect(events.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'thinking_start' },
      { type: 'thinking', text: 'Let me ' },
      { type: 'thinking', text: 'think.' },
      { type: 'text', text: 'Looking. ' },
      {
        type: 'tool_start',
        id: expect.stringContaining('exec-'),
        name: 'shell',
        input: { command: "/bin/bash -lc 'echo made by a tool'" },
      },
      { type: 'tool_end', id: expect.stringContaining('exec-'), output: 'made by a tool\n', isError: false },
      { type: 'text', text: 'The tool ' },
      { type: 'text', text: 'said it.' },
      { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn', text: 'The tool said it.' } },
    ]);
    expect(ofType(events, 'usage').at(-1)).toMatchObject({ inputTokens: 120, outputTokens: 14 });
  });

  it('a permission that was given', () => {
    const events = only('allow');
    expect(ofType(events, 'permission_request')).toEqual([
      {
        type: 'permission_request',
        id: '0',
        tool: 'shell',
        input: { command: "/bin/bash -lc 'touch allowed.txt'", cwd: '/work-dir' },
        options: ['allow', 'allow_always', 'deny'],
        always: 'this exact command',
        toolId: ofType(events, 'tool_start')[0]?.id,
      },
    ]);
    expect(ofType(events, 'permission_resolved')).toEqual([
      { type: 'permission_resolved', id: '0', decision: 'allow' },
    ]);
    expect(ofType(events, 'tool_end')).toMatchObject([{ isError: false }]);
  });

  it('a permission that was refused: the tool ends as an error, the turn goes on', () => {
    const events = only('deny');
    expect(ofType(events, 'permission_resolved')).toMatchObject([{ decision: 'deny' }]);
    expect(ofType(events, 'tool_end')).toMatchObject([{ output: 'declined', isError: true }]);
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'As you wish.' });
  });

  it('a patch asks with the changes that it would make', () => {
    expect(ofType(only('patch'), 'permission_request')).toMatchObject([
      { tool: 'apply_patch', input: { changes: [{ path: '/work-dir/note.txt', kind: 'add', diff: 'x\n' }] } },
    ]);
    expect(ofType(only('patch'), 'tool_end')).toMatchObject([
      { output: 'add /work-dir/note.txt', isError: false },
    ]);
  });

  it('a call of an MCP tool asks under its one-shot name', () => {
    const events = only('mcp');
    expect(ofType(events, 'permission_request')).toMatchObject([{ tool: 'echo.ping', input: { x: '1' } }]);
    expect(ofType(events, 'tool_start')).toMatchObject([{ name: 'echo.ping', input: { x: '1' } }]);
    expect(ofType(events, 'tool_end')).toMatchObject([{ output: 'pong 1', isError: false }]);
  });

  it('an interrupted tool’s end does not get into the next turn', () => {
    const [first, second] = replay('interrupt-tool');
    expect(endingOf(first?.events ?? [])).toMatchObject({ type: 'failed', code: 'interrupted' });
    expect(ofType(first?.events ?? [], 'tool_start')).toHaveLength(1);
    expect(ofType(second?.events ?? [], 'tool_end')).toEqual([]);
    expect(endingOf(second?.events ?? [])).toMatchObject({ type: 'answered', text: 'Fine.' });
  });

  it('an interrupt takes an open question back', () => {
    const events = only('interrupt-ask');
    expect(events.slice(-2)).toMatchObject([
      { type: 'permission_resolved', id: '0', decision: 'deny' },
      { type: 'ending', ending: { code: 'interrupted' } },
    ]);
  });

  it.each([
    ['http-401', 'auth', '401 Unauthorized: invalid key'],
    ['http-429', 'rate_limit', '429 Too Many Requests'],
    ['usage-limit', 'rate_limit', 'try again at'],
  ])('%s is %s', (name, code, words) => {
    expect(endingOf(only(name))).toMatchObject({
      type: 'failed',
      code,
      message: expect.stringContaining(words),
    });
  });

  it('a retry is a notice with its reason, and text that comes again is told once', () => {
    const events = only('retry');
    expect(ofType(events, 'notice')).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/^Reconnecting\.\.\. 1\/1 \(stream disconnected/) },
    ]);
    expect(ofType(events, 'text').map(({ text }) => text)).toEqual(['aa ', 'bb ', 'cc']);
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'aa bb cc' });
  });

  it('two threads at once do not mix', () => {
    const said = replay('two-threads').map(({ events }) =>
      ofType(events, 'text')
        .map(({ text }) => text)
        .join(''),
    );
    expect(said.sort()).toEqual(['A1 A2 A3', 'B1 B2 B3']);
  });

  it.each(names)('%s has one ending a turn, nothing behind it, and nothing unknown', (name) => {
    for (const { events } of replay(name.slice(5, -6))) {
      expect(ofType(events, 'ending')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('ending');
      expect(ofType(events, 'notice').filter(({ message }) => /unknown/i.test(message))).toEqual([]);
    }
  });
});

describe('the decoder', () => {
  const started: CodexTurnState = { ...newCodexTurnState, turnId: 't1', started: true };

  it('asks about a patch with its diffs and where a file is moved to (recorded with 0.166.0)', () => {
    const diff = '@@ -1,3 +1,3 @@\n one\n-TWO\n+2\n three\n\n\nMoved to: /work-dir/moved.txt';
    const changes = [
      { path: '/work-dir/a.txt', kind: { type: 'update', move_path: '/work-dir/moved.txt' }, diff },
      { path: '/work-dir/b.txt', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-a\n+b\n' },
      { path: '/work-dir/del.txt', kind: { type: 'delete' }, diff: 'gone\n' },
    ];
    const item = { type: 'fileChange', id: 'exec-1', changes, status: 'inProgress' };
    const events = feed(started, [
      { method: 'item/started', params: { item, threadId: 'x', turnId: 't1' } },
      {
        method: 'item/fileChange/requestApproval',
        id: 0,
        params: { threadId: 'x', turnId: 't1', itemId: 'exec-1', reason: null, grantRoot: null },
      },
    ]);
    expect(ofType(events, 'permission_request')[0]?.input).toEqual({
      changes: [
        { path: '/work-dir/a.txt', kind: 'update', move_path: '/work-dir/moved.txt', diff },
        { path: '/work-dir/b.txt', kind: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' },
        { path: '/work-dir/del.txt', kind: 'delete', diff: 'gone\n' },
      ],
    });
  });

  it('tells each plan as a call of update_plan', () => {
    const plan = [
      { step: 'look', status: 'completed' },
      { step: 'act', status: 'inProgress' },
    ];
    const params = { threadId: 'x', turnId: 't1', explanation: null, plan };
    const events = feed(started, [
      { method: 'turn/plan/updated', params },
      { method: 'turn/plan/updated', params: { ...params, plan: [] } },
    ]);
    const input = { plan: [plan[0], { step: 'act', status: 'in_progress' }] };
    expect(events).toEqual([
      { type: 'tool_start', id: 'plan-1', name: 'update_plan', input },
      { type: 'tool_end', id: 'plan-1', output: '', isError: false },
      { type: 'tool_start', id: 'plan-2', name: 'update_plan', input: { plan: [] } },
      { type: 'tool_end', id: 'plan-2', output: '', isError: false },
    ]);
  });

  it('keeps what comes before the answer to turn/start, and leaves out what is another turn’s', () => {
    const events = feed(newCodexTurnState, [
      { method: 'item/agentMessage/delta', params: { turnId: 't0', itemId: 'm0', delta: 'late' } },
      { method: 'item/agentMessage/delta', params: { turnId: 't1', itemId: 'm1', delta: 'early' } },
      { id: 3, result: { turn: { id: 't1' } } },
      { method: 'item/agentMessage/delta', params: { turnId: 't0', itemId: 'm0', delta: 'late' } },
      {
        method: 'turn/completed',
        params: { turn: { id: 't0', status: 'failed', error: { message: 'late' } } },
      },
      { method: 'turn/completed', params: { turn: { id: 't1', status: 'completed' } } },
    ]);
    expect(events.map((event) => (event.type === 'text' ? event.text : event.type))).toEqual([
      'early',
      'ending',
    ]);
  });

  it('a turn that is not accepted fails with the reason', () => {
    const message = 'Input exceeds the maximum length of 1048576 characters.';
    expect(feed(newCodexTurnState, [{ id: 3, error: { code: -32602, message } }])).toEqual([
      { type: 'ending', ending: { type: 'failed', code: 'bad_request', message } },
    ]);
  });

  it('tells a whole message of which no piece came, and the rest of one of which some did', () => {
    const item = (id: string, text: string) => ({
      method: 'item/completed',
      params: { turnId: 't1', item: { type: 'agentMessage', id, text } },
    });
    expect(feed(started, [item('m1', 'whole')])).toEqual([{ type: 'text', text: 'whole' }]);
    const delta = { method: 'item/agentMessage/delta', params: { turnId: 't1', itemId: 'm1', delta: 'who' } };
    expect(feed(started, [delta, item('m1', 'whole')])).toEqual([
      { type: 'text', text: 'who' },
      { type: 'text', text: 'le' },
    ]);
  });

  it('says so when a retried message is another one', () => {
    const delta = (itemId: string, text: string) => ({
      method: 'item/agentMessage/delta',
      params: { turnId: 't1', itemId, delta: text },
    });
    const retry = {
      method: 'error',
      params: { turnId: 't1', willRetry: true, error: { message: 'Reconnecting... 1/5' } },
    };
    const events = feed(started, [
      delta('m1', 'one '),
      delta('m1', 'two'),
      retry,
      delta('m2', 'on'),
      delta('m2', 'ly three'),
    ]);
    expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual([
      'one ',
      'two',
      'notice',
      'notice',
      'only three',
    ]);
  });

  it('counts a usage update that comes twice once', () => {
    const update = (total: number) => ({
      method: 'thread/tokenUsage/updated',
      params: {
        turnId: 't1',
        tokenUsage: {
          total: { inputTokens: total, outputTokens: 1 },
          last: { inputTokens: 60, outputTokens: 1 },
        },
      },
    });
    expect(
      ofType(feed(started, [update(360), update(360), update(420)]), 'usage').map((use) => use.inputTokens),
    ).toEqual([60, 60, 120]);
  });

  it('leaves out what the turns before have used, which 0.130.0 tells again before the model is asked', () => {
    const update = (total: number, last: number) => ({
      method: 'thread/tokenUsage/updated',
      params: { threadId: 't', turnId: 't1', tokenUsage: { total: tokens(total), last: tokens(last) } },
    });
    const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 1, cachedInputTokens: 0 });
    const item = (type: string) => ({
      method: 'item/started',
      params: { threadId: 't', turnId: 't1', item: { type, id: type } },
    });
    const messages = [item('userMessage'), update(60, 60), item('agentMessage'), update(130, 70)];
    expect(ofType(feed(started, messages), 'usage')).toMatchObject([{ inputTokens: 70 }]);
  });

  it('leaves that out before a compaction, too, whose own call counts', () => {
    const update = (total: number, last: number) => ({
      method: 'thread/tokenUsage/updated',
      params: {
        ...{ threadId: 't', turnId: 't1' },
        tokenUsage: { total: { inputTokens: total }, last: { inputTokens: last, totalTokens: last } },
      },
    });
    const item = (type: string) => ({
      method: 'item/started',
      params: { threadId: 't', turnId: 't1', item: { type, id: type } },
    });
    const usages = ofType(
      feed(started, [
        item('contextCompaction'),
        update(900, 900),
        update(1000, 100),
        item('userMessage'),
        item('agentMessage'),
        update(1030, 30),
      ]),
      'usage',
    );
    expect(usages).toMatchObject([
      { inputTokens: 100, contextTokens: 100 },
      { inputTokens: 130, contextTokens: 30 },
    ]);
  });

  it('tells no usage of a call that counted none', () => {
    const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    const tokenUsage = { total: { inputTokens: 600, outputTokens: 70 }, last: none };
    const update = { method: 'thread/tokenUsage/updated', params: { turnId: 't1', tokenUsage } };
    expect(ofType(feed(started, [update]), 'usage')).toEqual([]);
  });

  it('tells a limit that is nearly used up once, and its reset time with the failure', () => {
    const limits = {
      method: 'account/rateLimits/updated',
      params: { rateLimits: { primary: { usedPercent: 97, resetsAt: 1_999_999_999 }, secondary: null } },
    };
    const failed = {
      method: 'turn/completed',
      params: {
        turn: {
          id: 't1',
          status: 'failed',
          error: {
            message: 'exceeded',
            codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
          },
        },
      },
    };
    const events = feed(started, [limits, limits, failed]);
    expect(ofType(events, 'notice')).toHaveLength(1);
    expect(endingOf(events)).toEqual({
      type: 'failed',
      code: 'rate_limit',
      message: 'exceeded (the limit resets at 2033-05-18T03:33:19.000Z)',
      retryAt: 1_999_999_999_000,
    });
  });

  it.each([1e20, -1e20, -5, 8.64e12 + 1])('passes over a limit that resets at no time: %d', (resetsAt) => {
    const limits = {
      method: 'account/rateLimits/updated',
      params: { rateLimits: { primary: { usedPercent: 95, resetsAt } } },
    };
    const error = { message: 'exceeded', codexErrorInfo: 'usageLimitExceeded' };
    const failed = { method: 'turn/completed', params: { turn: { id: 't1', status: 'failed', error } } };
    const events = feed(started, [limits, failed]);
    expect(ofType(events, 'notice')).toEqual([]);
    expect(endingOf(events)).toEqual({ type: 'failed', code: 'rate_limit', message: 'exceeded' });
  });

  it.each([
    ['unauthorized', 'x', 'auth'],
    ['modelNotFound', 'x', 'bad_request'],
    ['serverOverloaded', 'x', 'overloaded'],
    ['other', 'stream disconnected before completion: error sending request', 'network'],
    [
      'other',
      'stream disconnected before completion: Incomplete response returned, reason: content_filter',
      'bad_request',
    ],
    [{ httpConnectionFailed: { httpStatusCode: null } }, 'x', 'network'],
    [{ somethingNew: { httpStatusCode: 503 } }, 'x', 'overloaded'],
    ['somethingNew', 'x', 'unknown'],
    [null, 'x', 'unknown'],
  ])('the failure %j (%s) is %s', (codexErrorInfo, message, code) => {
    const turn = { id: 't1', status: 'failed', error: { message, codexErrorInfo } };
    expect(endingOf(feed(started, [{ method: 'turn/completed', params: { turn } }]))).toMatchObject({ code });
  });

  it('keeps what it does not know as a notice with the raw line', () => {
    const unknown = [
      { method: 'thread/somethingNew', params: { x: 1 } },
      { method: 'item/completed', params: { turnId: 't1', item: { type: 'hologram', id: 'h' } } },
      { method: 'turn/completed', params: { turn: { id: 't1', status: 'evaporated' } } },
      { id: 7, method: 'item/tool/requestUserInput', params: { turnId: 't1' } },
    ];
    const events = feed(started, unknown);
    expect(events.map((event) => (event.type === 'notice' ? event.raw : event))).toEqual(
      unknown.map((message) => JSON.stringify(message)),
    );
  });
});

describe('for any bytes', () => {
  const anyName = fc.constantFrom(...names.map((name) => name.slice(5, -6)));

  it('any chunking gives the same events', () => {
    fc.assert(
      fc.property(anyName, cuts, (name, at) => {
        const text = read(name)
          .map((entry) => `${JSON.stringify(entry)}\n`)
          .join('');
        const splitter = new LineSplitter();
        const lines = [...chunksOf(text, at).flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()];
        const entries = lines.map((line) => JSON.parse(line.text) as Entry);
        expect(replayEntries(entries)).toEqual(replay(name));
      }),
      runs,
    );
  });

  it('lost, doubled, shuffled or foreign messages never throw, and never give a second ending', () => {
    const all = names.flatMap((name) => read(name.slice(5, -6))).map(({ message }) => message);
    const noise = noiseLine.map((line) => ({ method: line, params: line }));
    const mangled = fc
      .tuple(fc.constantFrom(...all), fc.string(), fc.jsonValue())
      .map(([message, key, value]) => ({
        ...message,
        params: { ...message.params, [key]: value, item: value, turn: value },
      }));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...all), noise, mangled), { maxLength: 40 }),
        (messages) => {
          const events = feed(newCodexTurnState, messages);
          expect(ofType(events, 'ending').length).toBeLessThanOrEqual(1);
          const ledger = new TurnLedger();
          for (const event of events) if (event.type !== 'ending') ledger.accept(event);
        },
      ),
      { numRuns: 300 },
    );
  });
});

interface Replayed {
  readonly threadId: string;
  readonly events: LiveEvent[];
}

function read(name: string): readonly Entry[] {
  return readFileSync(new URL(`live-${name}.jsonl`, directory), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}

function replay(name: string): readonly Replayed[] {
  return replayEntries(read(name));
}

function only(name: string): readonly LiveEvent[] {
  const [turn, ...more] = replay(name);
  expect(more).toEqual([]);
  return turn?.events ?? [];
}

/** Every turn of a recording, fed as the session feeds it: what is said of its thread, and the answers given. */
function replayEntries(entries: readonly Entry[]): readonly Replayed[] {
  const turns: (Replayed & { startId: number; state: CodexTurnState })[] = [];
  const words: Record<string, 'allow' | 'allow_always' | 'deny'> = {
    accept: 'allow',
    acceptForSession: 'allow_always',
    decline: 'deny',
  };
  for (const { to, message } of entries) {
    if (to === 'server') {
      if (message.method === 'turn/start') {
        turns.push({
          threadId: message.params.threadId,
          startId: message.id,
          state: newCodexTurnState,
          events: [],
        });
      }
      const word = message.result?.decision ?? message.result?.action;
      for (const turn of turns) {
        if (word !== undefined)
          take(turn, resolvePermission(turn.state, String(message.id), words[word] ?? 'deny'));
      }
      continue;
    }
    for (const turn of turns) {
      const mine =
        message.method === undefined
          ? message.id === turn.startId
          : message.params.threadId === turn.threadId;
      if (mine) take(turn, stepCodexTurn(turn.state, { value: message, raw: JSON.stringify(message) }));
    }
  }
  return turns.map(({ threadId, events }) => ({ threadId, events }));
}

function take(
  turn: { state: CodexTurnState; events: LiveEvent[] },
  [state, events]: ReturnType<typeof stepCodexTurn>,
): void {
  turn.state = state;
  turn.events.push(...events);
}

function feed(turn: CodexTurnState, messages: readonly object[]): readonly LiveEvent[] {
  const fed = { state: turn, events: [] as LiveEvent[] };
  for (const message of messages) {
    take(fed, stepCodexTurn(fed.state, { value: { ...message }, raw: JSON.stringify(message) }));
  }
  return fed.events;
}

function ofType<T extends LiveEvent['type']>(events: readonly LiveEvent[], type: T) {
  return events.filter((event): event is LiveEvent & { type: T } => event.type === type);
}

function endingOf(events: readonly LiveEvent[]) {
  const last = events.at(-1);
  return last?.type === 'ending' ? last.ending : undefined;
}
