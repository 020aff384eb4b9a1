import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import { stepOpenCodeTurn } from '../../../../../src/backends/opencode/live/decoder.js';
import { SseFrames } from '../../../../../src/backends/opencode/live/event-stream.js';
import { newMessageId } from '../../../../../src/backends/opencode/live/message.js';
import { PendingPermissions } from '../../../../../src/backends/opencode/live/permissions.js';
import {
  agentRules,
  endsWith,
  type Rule,
  sessionRules,
} from '../../../../../src/backends/opencode/live/rules.js';
import {
  endTurn,
  markGap,
  newOpenCodeTurnState,
  type OpenCodeTurnState,
  steerAnswered,
  steerTurn,
} from '../../../../../src/backends/opencode/live/state.js';
import { isObject, type JsonObject } from '../../../../../src/backends/output/json.js';

const directory = new URL('../../../../fixtures/recordings/opencode/', import.meta.url);
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace(/^live-|\.jsonl$/g, ''));
const usage = { inputTokens: 60, outputTokens: 7, cachedInputTokens: 30, costUsd: 0, contextTokens: 67 };

describe('what is said into a running turn', () => {
  const sessionID = 'ses_1';
  const say = (type: string, properties: JsonObject = {}): JsonObject => ({
    type,
    properties: { sessionID, ...properties },
  });
  const reply = (id: string, parentID: string, completed = 0) =>
    say('message.updated', {
      info: { id, parentID, role: 'assistant', finish: 'stop', time: { completed } },
    });
  const text = (messageID: string, said: string) =>
    say('message.part.updated', {
      part: { id: `part of ${messageID}`, messageID, type: 'text', text: said, time: { end: 1 } },
    });
  const idle = say('session.idle');
  const first = [reply('msg_2', 'msg_1'), text('msg_2', 'One.'), reply('msg_2', 'msg_1', 1)];
  const second = [reply('msg_4', 'msg_3'), text('msg_4', 'Two.'), reply('msg_4', 'msg_3', 1)];

  it.each([
    ['in the same run', [...first, ...second, 'answer', idle]],
    [
      'in a run of its own',
      [...first, idle, say('session.status', { status: { type: 'busy' } }), ...second, 'answer', idle],
    ],
    ['and the server’s answer comes after its last event', [...first, ...second, idle, 'answer']],
    ['and the server’s answer comes before all events', ['answer', ...first, idle, ...second, idle]],
  ] as const)('is answered %s: then the turn is over', (_, story) => {
    let state = steerTurn(newOpenCodeTurnState(sessionID, 'msg_1'), 'msg_3');
    const told: LiveEvent[] = [];
    for (const [index, happened] of story.entries()) {
      expect([index, state.ended]).toEqual([index, false]);
      const [next, events] =
        happened === 'answer'
          ? steerAnswered(state, 'msg_3', 'msg_4')
          : stepOpenCodeTurn(state, happened, '');
      state = next;
      told.push(...events);
    }
    expect(said(told)).toBe('One.\n\nTwo.');
    expect(told.filter(({ type }) => type === 'ending')).toHaveLength(1);
  });

  it('and refused by the server, it does not hold the turn', () => {
    let state = steerTurn(newOpenCodeTurnState(sessionID, 'msg_1'), 'msg_3');
    for (const happened of [...first, idle]) [state] = stepOpenCodeTurn(state, happened, '');
    expect(state.ended).toBe(false);
    expect(steerAnswered(state, 'msg_3', '')[0].ended).toBe(true);
  });
});

describe('what OpenCode really sends', () => {
  it('three turns in one session, the text in pieces', () => {
    const turns = replay('three-turns');
    const sessionId = 'ses_00000000000000000000000001';
    expect(turns).toHaveLength(3);
    expect(turns[0]).toEqual([
      { type: 'session', sessionId, backend: 'opencode', model: 'lab/lab-model' },
      { type: 'text', text: 'Hello ' },
      { type: 'text', text: 'from the ' },
      { type: 'text', text: 'model.' },
      { type: 'usage', ...usage },
      { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn' } },
    ]);
    expect(turns.map(said)).toEqual(['Hello from the model.', 'Second.', 'Third.']);
  });

  it('thinking is told apart from text', () => {
    const [events = []] = replay('thinking');
    expect(events.filter(({ type }) => type === 'thinking')).toEqual([
      { type: 'thinking', text: 'Let me ' },
      { type: 'thinking', text: 'think.' },
    ]);
    expect(said(events)).toBe('It is 42.');
  });

  it('a tool with its input and output, and the usage of both steps', () => {
    const [events = []] = replay('tool');
    const id = expect.stringMatching(/^call_/);
    expect(events.slice(1)).toEqual([
      { type: 'text', text: 'Looking. ' },
      { type: 'tool_start', id, name: 'bash', input: { command: 'echo made' } },
      { type: 'tool_end', id, output: 'made\n', isError: false },
      { type: 'usage', ...usage },
      { type: 'text', text: 'It ' },
      { type: 'text', text: 'did.' },
      { type: 'usage', ...usage, inputTokens: 120, outputTokens: 14, cachedInputTokens: 60 },
      { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn' } },
    ]);
  });

  it('a tool that fails is an error, and so is a command that exits with 3 (18.1)', () => {
    const [events = []] = replay('tools-fail');
    const ends = events.filter((event) => event.type === 'tool_end');
    expect(ends.map(({ isError }) => isError)).toEqual([true, true]);
    expect(said(events)).toBe('Both failed.');
  });

  it('a request for permission comes behind the start of its tool', () => {
    for (const [name, decision] of [
      ['permission-allow', 'allow'],
      ['permission-deny', 'deny'],
    ] as const) {
      const [events = []] = replay(name);
      const kinds = events.map(({ type }) => type);
      expect(kinds.slice(1, 5)).toEqual([
        'tool_start',
        'permission_request',
        'permission_resolved',
        'tool_end',
      ]);
      expect(events[2]).toEqual({
        type: 'permission_request',
        id: expect.stringMatching(/^per_/),
        tool: 'bash',
        input: { command: 'touch a' },
        options: ['allow', 'allow_always', 'deny'],
        always: 'touch *',
        toolId: expect.stringMatching(/^call_/),
      });
      expect(events[3]).toMatchObject({ decision });
      expect(events[4]).toMatchObject({ isError: decision === 'deny' });
      expect(events.at(-1)).toEqual({ type: 'ending', ending: { type: 'answered', stopReason: 'end_turn' } });
    }
  });

  it.each(['interrupt', 'interrupt-tool'])('%s: nothing of the stopped turn gets into the next', (name) => {
    const [stopped = [], next = []] = replay(name);
    expect(stopped.at(-1)).toEqual({
      type: 'ending',
      ending: { type: 'failed', code: 'interrupted', message: 'Interrupted' },
    });
    const starts = stopped.filter(({ type }) => type === 'tool_start').length;
    expect(stopped.filter(({ type }) => type === 'tool_end')).toHaveLength(starts);
    expect(next.map(({ type }) => type)).toEqual(['session', 'text', 'usage', 'ending']);
    expect(said(next)).toBe('A good one.');
  });

  it('a subagent shows as its tool, and its steps are counted', () => {
    const [events = []] = replay('subagent');
    expect(events.filter(({ type }) => type === 'tool_start')).toMatchObject([{ name: 'task' }]);
    expect(events.findLast(({ type }) => type === 'usage')).toMatchObject({
      inputTokens: 180,
      contextTokens: 67,
    });
    expect(said(events)).not.toContain('CHILD\n');
  });

  it('an error of the API has its code', () => {
    expect(replay('http-401')[0]?.at(-1)).toEqual({
      type: 'ending',
      ending: { type: 'failed', code: 'auth', message: 'invalid key' },
    });
  });

  it('a retry is told', () => {
    const [events = []] = replay('http-429-retry');
    expect(events.filter(({ type }) => type === 'notice')).toMatchObject([
      {
        level: 'warning',
        message: 'The API failed (slow down); OpenCode tries again: retry 1 of 5',
        retry: { attempt: 1, of: 5, reason: 'slow down' },
      },
    ]);
    expect(said(events)).toBe('At last.');
  });

  it('nothing that it sends is unknown', () => {
    for (const name of names) {
      const notices = replay(name)
        .flat()
        .filter((event) => event.type === 'notice' && event.raw !== undefined);
      expect(notices, name).toEqual([]);
    }
  });

  it('holds nothing of the machine that it was recorded on', () => {
    for (const name of names) {
      const text = readFileSync(new URL(`live-${name}.jsonl`, directory), 'utf8');
      expect(text.match(/https?:\/\/(?!127\.0\.0\.1:4100\/)[^\s"\\]*/g) ?? [], name).toEqual([]);
      expect(text.match(/(?<![\w.-])\/(?:root|Users|work|var|mnt|tmp\/turnout)\/[^\s"\\]*/g) ?? []).toEqual(
        [],
      );
    }
  });
});

describe('whatever comes', () => {
  const streams = names.map((name) => ({ name, lines: linesOf(name) }));

  it('any chunking of the bytes, with LF or CRLF, gives the same frames', () => {
    const wire = (lines: readonly string[], end: string) =>
      Buffer.from(lines.map((line) => `data: ${line}${end}${end}`).join(''));
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
        ({ lines }, end, sizes) => {
          const bytes = wire(lines, end);
          const frames = new SseFrames();
          const found: string[] = [];
          for (let from = 0, at = 0; from < bytes.length; at++) {
            const size = sizes[at % sizes.length] ?? 1;
            found.push(...frames.push(bytes.subarray(from, from + size)));
            from += size;
          }
          expect(found).toEqual(lines);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('comments, other fields and data over several lines are read as the standard says', () => {
    const frames = new SseFrames();
    expect(frames.push(Buffer.from(': hello\n\nevent: x\nid: 1\ndata:a\ndata: b\n\n\ndata: c\n'))).toEqual([
      'a\nb',
    ]);
    expect(frames.push(Buffer.from('\n'))).toEqual(['c']);
  });

  it('garbage between, lost and repeated events never throw, and there is one ending at most', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.record({ at: fc.nat(200), what: fc.oneof(garbage, fc.constantFrom('drop', 'twice')) }), {
          maxLength: 30,
        }),
        ({ lines }, faults) => {
          const spoiled: unknown[] = lines.map((line) => JSON.parse(line));
          for (const { at, what } of faults) {
            const index = at % spoiled.length;
            if (what === 'drop') spoiled.splice(index, 1, {});
            else if (what === 'twice') spoiled.splice(index, 0, spoiled[index]);
            else spoiled.splice(index, 0, what);
          }
          for (const events of play(spoiled.filter(isObject))) {
            const endings = events.filter(({ type }) => type === 'ending');
            expect(endings.length).toBeLessThanOrEqual(1);
            if (endings.length > 0) expect(events.at(-1)?.type).toBe('ending');
            for (const event of events) if (event.type === 'text') expect(typeof event.text).toBe('string');
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('a retry is told with the time until it, if that is one', () => {
    const retry = (next: number) =>
      about({ status: { type: 'retry', attempt: 2, message: 'm', next } }, 'session.status');
    expect(feed(running(), retry(1e300))[1]).toMatchObject([
      { message: 'The API failed (m); OpenCode tries again: retry 2 of 5' },
    ]);
    const [event] = feed(running(), retry(Date.now() + 20_000))[1];
    expect(event?.type === 'notice' && event.retry?.delayMs).toBeGreaterThan(15_000);
  });

  it('an unknown event and an unknown part become notices with the raw line', () => {
    const state = running();
    const [, unknown] = stepOpenCodeTurn(state, about({}, 'session.sings'), '{"raw":1}');
    expect(unknown).toEqual([
      { type: 'notice', level: 'info', message: 'An unknown event from the CLI', raw: '{"raw":1}' },
    ]);
    const [, part] = stepOpenCodeTurn(
      state,
      about({ part: { id: 'prt_9', messageID: 'msg_2', type: 'hologram' } }, 'message.part.updated'),
      'raw',
    );
    expect(part).toMatchObject([{ type: 'notice', raw: 'raw' }]);
  });
});

describe('one turn', () => {
  const text = (id: string, content: string, end?: number, messageID = 'msg_2') =>
    about(
      { part: { id, messageID, type: 'text', text: content, time: { start: 1, end } } },
      'message.part.updated',
    );
  const delta = (partID: string, piece: string) =>
    about({ messageID: 'msg_2', partID, field: 'text', delta: piece }, 'message.part.delta');
  const idle = about({ status: { type: 'idle' } }, 'session.status');
  const done = about({ info: reply({ finish: 'stop', completed: 9 }) }, 'message.updated');

  it('text that came in pieces is not said again, and what was missed is', () => {
    const [state, events] = feed(running(), text('p', ''), delta('p', 'one '), text('p', 'one two', 5));
    expect(events).toEqual([
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
    ]);
    expect(feed(state, text('p', 'one two', 5))[1]).toEqual([]);
  });

  it('after a gap in the events the rest of a text comes once, when it is whole', () => {
    const [state, first] = feed(running(), text('p', ''), delta('p', 'one '));
    const [, rest] = feed(markGap(state), delta('p', 'three'), text('p', 'one two three', 5));
    expect([...first, ...rest].map((event) => (event.type === 'text' ? event.text : event))).toEqual([
      'one ',
      'two three',
    ]);
  });

  it('what belongs to an older message is not heard', () => {
    const older = about({ info: { ...reply({}), id: 'msg_0' } }, 'message.updated');
    const [, events] = feed(
      running(),
      older,
      text('q', 'old words', 5, 'msg_0'),
      text('r', 'my own words', 5, 'msg_1'),
    );
    expect(events).toEqual([]);
  });

  it('an idle of the turn before does not end it, nor does one before its reply is complete', () => {
    const begun = newOpenCodeTurnState('ses_1', 'msg_1');
    const prompt = about({ info: { id: 'msg_1', role: 'user' } }, 'message.updated');
    const busy = about({ status: { type: 'busy' } }, 'session.status');
    expect(feed(begun, busy, idle, prompt, idle)[0].ended).toBe(false);
    expect(feed(begun, prompt, busy, idle)[0].ended).toBe(true);
    const [state] = feed(running(), idle);
    expect(state.ended).toBe(false);
    expect(feed(state, done, idle)[1]).toEqual([
      { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn' } },
    ]);
  });

  it('a tool whose id the model uses twice is told twice', () => {
    const tool = (id: string) =>
      about(
        { part: { id, messageID: 'msg_2', type: 'tool', tool: 'bash', callID: 'call_0', state: completed } },
        'message.part.updated',
      );
    const completed = { status: 'completed', input: { command: 'x' }, output: 'y' };
    const [, events] = feed(running(), tool('prt_1'), tool('prt_2'));
    const ids = events.flatMap((event) => (event.type === 'tool_end' ? event.id : []));
    expect(new Set(ids).size).toBe(2);
  });

  it('the summary that a compaction writes is no answer', () => {
    const summary = about({ info: { ...reply({}), id: 'msg_3', summary: true } }, 'message.updated');
    expect(feed(running(), summary, text('s', 'What happened so far', 5, 'msg_3'))[1]).toEqual([]);
  });

  it('an error that the turn got over is none; one that ends it is, with the time to wait', () => {
    const error = (statusCode: number) => ({
      name: 'APIError',
      data: { message: 'slow', statusCode, responseHeaders: { 'retry-after': '30' } },
    });
    const failed = about({ info: reply({ completed: 5, error: error(429) }) }, 'message.updated');
    expect(feed(running(), failed, idle)[1]).toEqual([
      {
        type: 'ending',
        ending: { type: 'failed', code: 'rate_limit', message: 'slow', retryAfterMs: 30_000 },
      },
    ]);
    const dropped = {
      name: 'APIError',
      data: { message: 'Cannot connect to API: The socket connection was closed' },
    };
    const broken = about({ info: reply({ completed: 5, error: dropped }) }, 'message.updated');
    expect(feed(running(), broken, idle)[1]).toMatchObject([{ ending: { code: 'network' } }]);
    const filtered = about(
      { error: { name: 'ContentFilterError', data: { message: 'blocked' } } },
      'session.error',
    );
    expect(feed(running(), filtered, done, idle)[1]).toMatchObject([
      { ending: { type: 'answered', stopReason: 'refusal' } },
    ]);
    const second = about(
      { info: { ...reply({ completed: 9, finish: 'stop' }), id: 'msg_3' } },
      'message.updated',
    );
    expect(feed(running(), failed, second, idle)[1]).toMatchObject([{ ending: { type: 'answered' } }]);
  });

  it('asks about an edit with the diff that OpenCode has computed, not with one of the model (1.18.33)', () => {
    const call = { filePath: '/work-dir/a.txt', oldString: 'two', newString: 'TWO', diff: 'nothing at all' };
    const diff = '--- /work-dir/a.txt\n+++ /work-dir/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n';
    const part = { id: 'prt_9', messageID: 'msg_2', type: 'tool', tool: 'edit', callID: 'call_9' };
    const begun = about(
      { part: { ...part, state: { status: 'running', input: call } } },
      'message.part.updated',
    );
    const asked = about(
      {
        id: 'per_1',
        permission: 'edit',
        patterns: ['a.txt'],
        metadata: { filepath: '/work-dir/a.txt', diff },
        tool: { messageID: 'msg_2', callID: 'call_9' },
      },
      'permission.asked',
    );
    const [, events] = feed(feed(running(), begun)[0], asked);
    expect(events).toMatchObject([{ type: 'permission_request', tool: 'edit', input: { ...call, diff } }]);
  });

  it('at its end an open request is answered with no', () => {
    const asked = about(
      { id: 'per_1', permission: 'external_directory', patterns: ['/etc/*'] },
      'permission.asked',
    );
    const [state, events] = feed(running(), asked);
    expect(events).toEqual([
      {
        type: 'permission_request',
        id: 'per_1',
        tool: 'external_directory',
        input: { patterns: ['/etc/*'] },
        options: ['allow', 'deny'],
      },
    ]);
    expect(endTurn(state)[1][0]).toEqual({ type: 'permission_resolved', id: 'per_1', decision: 'deny' });
    expect(endTurn(endTurn(state)[0])[1]).toEqual([]);
  });
});

describe('the rules of a session', () => {
  const agent: readonly Rule[] = [
    rule('*', '*', 'allow'),
    rule('external_directory', '*', 'ask'),
    rule('read', '*', 'allow'),
    rule('read', '*.env', 'ask'),
    rule('bash', '*', 'allow'),
    rule('bash', 'git status*', 'allow'),
    rule('bash', 'rm *', 'deny'),
    rule('webfetch', '*', 'deny'),
  ];
  const none = { allowedTools: [], disallowedTools: [] };
  const decide = (rules: readonly Rule[], permission: string, what: string) =>
    rules.findLast((found) => matches(found.permission, permission) && matches(found.pattern, what))?.action;

  it.each([
    ['bypass', { bash: 'allow', edit: 'allow', read: 'allow', mcp_tool: 'allow', task: 'allow' }],
    ['ask', { bash: 'ask', edit: 'ask', read: 'allow', mcp_tool: 'ask', task: 'deny' }],
    ['edits', { bash: 'ask', edit: 'allow', read: 'allow', mcp_tool: 'ask', task: 'deny' }],
    ['plan', { bash: 'deny', edit: 'deny', read: 'allow', mcp_tool: 'deny', task: 'deny' }],
  ] as const)('%s', (mode, expected) => {
    const rules = sessionRules(mode, agent, none);
    const found = Object.keys(expected).map((permission) => [permission, decide(rules, permission, 'x')]);
    expect(Object.fromEntries(found)).toEqual(expected);
    // Denials of the user stay, requests to be asked stay, and nobody is there for questions.
    expect(decide(rules, 'bash', 'rm -rf x')).toBe('deny');
    expect(decide(rules, 'webfetch', 'x')).toBe('deny');
    expect(decide(rules, 'read', 'a.env')).toBe('ask');
    expect(decide(rules, 'external_directory', '/etc/*')).toBe('ask');
    expect(decide(rules, 'question', 'x')).toBe('deny');
    if (mode !== 'plan') expect(decide(rules, 'bash', 'git status')).toBe('allow');
  });

  it('a plan stays read-only where the user wants to be asked', () => {
    const asking = [...agent, rule('*', '*', 'ask'), rule('bash', '*', 'ask')];
    const rules = sessionRules('plan', asking, none);
    expect(decide(rules, 'bash', 'x')).toBe('deny');
    expect(decide(rules, 'edit', 'x')).toBe('deny');
    expect(decide(rules, 'grep', 'x')).toBe('ask');
  });

  it('a filter leaves only what it names, under the same conditions', () => {
    const rules = sessionRules('bypass', agent, { allowedTools: ['bash', 'write'], disallowedTools: [] });
    expect(decide(rules, 'bash', 'ls')).toBe('allow');
    expect(decide(rules, 'bash', 'rm x')).toBe('deny');
    expect(decide(rules, 'edit', 'x')).toBe('allow');
    expect(decide(rules, 'read', 'x')).toBe('deny');
    const asking = sessionRules('ask', agent, { allowedTools: ['bash', 'read'], disallowedTools: ['read'] });
    expect(decide(asking, 'bash', 'ls')).toBe('ask');
    expect(decide(asking, 'read', 'x')).toBe('deny');
  });

  it('reads the rules of an agent leniently, and knows its own again', () => {
    expect(agentRules([{ name: 'build', permission: [...agent, { action: 'maybe' }, 5] }], 'build')).toEqual(
      agent,
    );
    expect(agentRules('nonsense', 'build')).toEqual([rule('*', '*', 'allow')]);
    const rules = sessionRules('ask', agent, none);
    expect(endsWith([...agent, ...rules], rules)).toBe(true);
    expect(endsWith([...rules, ...agent], rules)).toBe(false);
  });
});

describe('the pending permissions of a session', () => {
  const request = (id: string, always: readonly string[] = ['touch *']) => ({
    id,
    permission: 'bash',
    always,
  });

  it('a denial waits for the other questions, because it would deny them too', () => {
    const pending = new PendingPermissions();
    pending.add(request('1'), false);
    pending.add(request('2', ['ls *']), false);
    expect(pending.answer('1', { decision: 'deny', message: 'no' })).toEqual([]);
    expect(pending.isPending('1')).toBe(false);
    expect(pending.answer('2', { decision: 'allow' })).toEqual([
      { id: '2', body: { reply: 'once' } },
      { id: '1', body: { reply: 'reject', message: 'no' } },
    ]);
  });

  it('"always" holds for what is asked now and later, as far as all of it was allowed', () => {
    const pending = new PendingPermissions();
    pending.add(request('1'), false);
    pending.add(request('2'), false);
    expect(pending.answer('1', { decision: 'allow_always' }).map(({ id }) => id)).toEqual(['1', '2']);
    expect(pending.takeDecision('2')).toBe('allow_always');
    expect(pending.add(request('3'), false)).toEqual({ id: '3', body: { reply: 'once' } });
    expect(pending.add(request('4', ['touch *', 'rm *']), false)).toBeUndefined();
    expect(pending.add(request('5', []), false)).toBeUndefined();
  });

  it('with confirmTools nothing is answered without the caller, not even what is allowed always', () => {
    const pending = new PendingPermissions();
    expect(pending.add(request('1'), true, true)).toBeUndefined();
    expect(pending.isConfirmation('1')).toBe(true);
    pending.add(request('2'), false, true);
    expect(pending.isConfirmation('2')).toBe(false);
    expect(pending.answer('2', { decision: 'allow_always' }).map(({ id }) => id)).toEqual(['2']);
    expect(pending.add(request('3'), false, true)).toBeUndefined();
    expect(pending.isConfirmation('3')).toBe(true);
  });

  it('what nobody answered is rejected at the end', () => {
    const pending = new PendingPermissions();
    pending.add(request('1'), false);
    expect(pending.clear()).toEqual([{ id: '1', body: { reply: 'reject' } }]);
    expect(pending.answer('1', { decision: 'allow' })).toEqual([]);
  });
});

describe('message ids', () => {
  it('have the form of OpenCode, and grow', () => {
    const ids = Array.from({ length: 200 }, () => newMessageId());
    for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    expect(ids.toSorted()).toEqual(ids);
    // Seen: a message of this moment.
    expect(newMessageId(1794778658958).slice(0, 15)).toBe('msg_1e124f88e00');
  });
});

const garbage = fc.oneof(
  fc.jsonValue(),
  fc.record({ type: fc.string(), properties: fc.jsonValue() }),
  fc.record({
    type: fc.constantFrom(
      'message.updated',
      'message.part.updated',
      'message.part.delta',
      'session.status',
      'session.error',
      'permission.asked',
      'permission.replied',
    ),
    properties: fc.dictionary(
      fc.constantFrom('sessionID', 'info', 'part', 'status', 'error', 'id', 'tool', 'always'),
      fc.jsonValue(),
    ),
  }),
);

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`live-${name}.jsonl`, directory), 'utf8')
    .trimEnd()
    .split('\n');
}

function replay(name: string): readonly (readonly LiveEvent[])[] {
  return play(linesOf(name).map((line) => JSON.parse(line)));
}

/** The events of each turn; what comes before the first prompt and behind an ending belongs to none. */
function play(lines: readonly JsonObject[]): readonly (readonly LiveEvent[])[] {
  const turns: LiveEvent[][] = [];
  let state: OpenCodeTurnState | undefined;
  for (const line of lines) {
    const { prompt, payload } = line;
    if (isObject(prompt)) {
      state = newOpenCodeTurnState(String(prompt['sessionID']), String(prompt['messageID']));
      turns.push([]);
    } else if (state !== undefined) {
      const [next, events] = stepOpenCodeTurn(
        state,
        isObject(payload) ? payload : line,
        JSON.stringify(line),
      );
      state = next;
      turns.at(-1)?.push(...events);
    }
  }
  return turns;
}

function said(events: readonly LiveEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

function about(properties: JsonObject, type: string): JsonObject {
  return { type, properties: { sessionID: 'ses_1', ...properties } };
}

function reply({
  finish,
  completed,
  error,
}: {
  finish?: string;
  completed?: number;
  error?: unknown;
}): JsonObject {
  return {
    id: 'msg_2',
    role: 'assistant',
    parentID: 'msg_1',
    finish,
    error,
    time: { created: 1, completed },
  };
}

/** A turn whose reply `msg_2` has begun. */
function running(): OpenCodeTurnState {
  return feed(newOpenCodeTurnState('ses_1', 'msg_1'), about({ info: reply({}) }, 'message.updated'))[0];
}

function feed(
  from: OpenCodeTurnState,
  ...lines: readonly JsonObject[]
): readonly [OpenCodeTurnState, readonly LiveEvent[]] {
  let state = from;
  const events: LiveEvent[] = [];
  for (const line of lines) {
    const [next, found] = stepOpenCodeTurn(state, line, JSON.stringify(line));
    state = next;
    events.push(...found);
  }
  return [state, events];
}

function rule(permission: string, pattern: string, action: Rule['action']): Rule {
  return { permission, pattern, action };
}

function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`).test(text);
}
