import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GeminiMessage, stepGeminiTurn } from '../../../../../src/backends/gemini/live/decoder.js';
import { chooseOption } from '../../../../../src/backends/gemini/live/permissions.js';
import { matchInstructions, promptBlocks } from '../../../../../src/backends/gemini/live/prompt.js';
import { type GeminiTurnState, newGeminiTurnState } from '../../../../../src/backends/gemini/live/state.js';
import { findRetries } from '../../../../../src/backends/gemini/retries.js';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import type { JsonObject } from '../../../../../src/backends/output/json.js';
import { object, objects, text } from '../../../../../src/backends/output/read-fields.js';
import { LineSplitter } from '../../../../../src/process/split-lines.js';

interface Recorded {
  readonly from: 'gemini' | 'turnout';
  readonly message: JsonObject;
}

const root = new URL('../../../../fixtures/recordings/gemini/', import.meta.url);
const names = readdirSync(root).flatMap((name) => /^live-(.+)\.jsonl$/.exec(name)?.[1] ?? []);
const read = (name: string): readonly Recorded[] =>
  readFileSync(new URL(`live-${name}.jsonl`, root), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('a recorded conversation', () => {
  it('streams three answers, the last to what looks like a command', () => {
    const turns = replay('three-turns');
    expect(turns.map(said)).toEqual([['Hello ', 'from the ', 'model.'], ['Two.'], ['Three.']]);
    for (const events of turns) {
      expect(events.slice(-2)).toEqual([
        { type: 'usage', inputTokens: 60, outputTokens: 5 },
        { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn' } },
      ]);
    }
  });

  it('thinks', () => {
    const [events = []] = replay('thinking');
    expect(events.slice(0, 5)).toEqual([
      { type: 'thinking_start' },
      { type: 'thinking', text: '**Plan**\nlook first' },
      { type: 'thinking_start' },
      { type: 'thinking', text: 'then act' },
      { type: 'text', text: '42.' },
    ]);
  });

  it('uses tools: a command, a new file, and a file that is not there', () => {
    const [events = []] = replay('tool');
    expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([
      start('run_shell_command__call_scripted_0_1', 'run_shell_command', {
        command: 'echo made by a tool',
        dir_path: '/work-dir',
      }),
      end('run_shell_command__call_scripted_0_1', 'made by a tool'),
      start('write_file__call_scripted_0_2', 'write_file', { file_path: '/work-dir/new.txt' }),
      end('write_file__call_scripted_0_2', 'Created /work-dir/new.txt'),
      start('read_file__call_scripted_1_0', 'read_file', { file_path: '/work-dir/no-such-file' }),
      end('read_file__call_scripted_1_0', 'File not found: /work-dir/no-such-file', true),
    ]);
  });

  const id = 'write_file__call_scripted_0_1';
  const input = { file_path: '/work-dir/made.txt', content: 'made' };
  const request = {
    type: 'permission_request',
    id,
    tool: 'write_file',
    input,
    options: ['allow', 'allow_always', 'deny'],
    always: 'every edit of a file',
    toolId: id,
  };

  it('asks, is allowed, and only then starts the tool', () => {
    const [events = []] = replay('permission-allow');
    expect(events.slice(1, 6)).toEqual([
      request,
      { type: 'permission_resolved', id, decision: 'allow' },
      start(id, 'write_file', input),
      end(id, 'Created /work-dir/made.txt'),
      { type: 'text', text: 'Done.' },
    ]);
  });

  it('asks, is allowed for always, and tells of its new mode', () => {
    const [events = []] = replay('permission-always');
    expect(events.slice(1, 6)).toEqual([
      request,
      { type: 'permission_resolved', id, decision: 'allow_always' },
      start(id, 'write_file', input),
      { type: 'notice', level: 'info', message: 'Gemini is in its mode "autoEdit" now' },
      end(id, 'Created /work-dir/made.txt'),
    ]);
    expect(said(events)).toEqual(['Writing. ', 'Done.']);
  });

  it('asks, is denied, and shows the tool as failed', () => {
    const [events = []] = replay('permission-deny');
    expect(events.slice(1, 6)).toEqual([
      request,
      { type: 'permission_resolved', id, decision: 'deny' },
      start(id, 'write_file', input),
      { ...end(id, 'Permission denied', true), denied: true },
      { type: 'text', text: 'Done.' },
    ]);
  });

  it.each(['interrupt', 'interrupt-tool', 'interrupt-permission'])(
    'of %s ends as interrupted and goes on',
    (name) => {
      const [stopped = [], fresh = []] = replay(name);
      expect(stopped.at(-1)).toEqual(failed('interrupted', 'Interrupted'));
      expect(fresh.at(-1)).toMatchObject({ ending: { type: 'answered' } });
    },
  );

  it('shows a command that was stopped as failed', () => {
    const [events = []] = replay('interrupt-tool');
    expect(events).toContainEqual(
      end('run_shell_command__call_scripted_0_0', 'Command cancelled by user.', true),
    );
  });

  it.each([
    ['http-401', 'auth', 'invalid key'],
    ['http-429', 'rate_limit', 'Quota exceeded.\nSuggested retry after 2.5s.'],
    ['http-500', 'overloaded', 'broken'],
    ['network', 'network', 'exception TypeError: fetch failed sending request'],
    ['cut', 'network', 'terminated'],
  ])('of %s fails with %s', (name, code, message) => {
    const [events = []] = replay(name);
    expect(events.at(-1)).toEqual(failed(code, message));
  });

  it('of a loaded session has nothing of its history in the next turn', () => {
    expect(replay('load').map(said)).toEqual([['One.'], ['Two.']]);
  });

  it.each(names)('%s: each turn has one ending, its last event; tools end after they start', (name) => {
    const turns = replay(name);
    expect(turns.length).toBeGreaterThan(0);
    for (const events of turns) {
      expect(events.filter(({ type }) => type === 'ending')).toEqual([events.at(-1)]);
      const open = new Set<string>();
      for (const event of events) {
        if (event.type === 'tool_start') open.add(event.id);
        if (event.type === 'tool_end') expect(open.delete(event.id)).toBe(true);
      }
    }
  });

  it.each(names)('%s holds nothing of the machine that it was made on', (name) => {
    const lines = JSON.stringify(read(name));
    expect(lines.match(/(?<![\w./-])\/(?:tmp|root|home|Users|var)\//g)).toBeNull();
    expect(lines.match(/https?:\/\/(?!127\.0\.0\.1)/g)).toBeNull();
  });
});

describe('what a question shows (recorded with 0.61.0)', () => {
  const asked = (toolCall: JsonObject) => {
    const options = [{ optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' }];
    const params = { sessionId: 's', options, toolCall: { status: 'pending', locations: [], ...toolCall } };
    const [, [event]] = stepGeminiTurn(newGeminiTurnState, { type: 'request', params });
    return event?.type === 'permission_request' ? event.input : undefined;
  };

  it('a file that is overwritten: its old text', () => {
    const diff = { type: 'diff', path: '/work-dir/a.txt', oldText: 'one\n', newText: 'all new\n' };
    const content = [{ ...diff, _meta: { kind: 'modify' } }];
    const call = { toolCallId: 'write_file__1', title: 'Writing to a.txt', kind: 'edit', content };
    expect(asked(call)).toEqual({ file_path: '/work-dir/a.txt', content: 'all new\n', old_text: 'one\n' });
  });

  it.each([
    ['[in src] (makes y)', { dir_path: 'src' }],
    ['[current working directory /work-dir] (A scripted command)', { dir_path: '/work-dir' }],
    ['[in /etc] (x] [in src)', {}],
    ['(makes y)', {}],
  ])('a command with %s', (words, more) => {
    const content = [{ type: 'content', content: { type: 'text', text: words } }];
    const call = { toolCallId: 'run_shell_command__1', title: 'touch y', kind: 'execute', content };
    expect(asked(call)).toEqual({ command: 'touch y', ...more });
  });
});

describe('any bytes', () => {
  it('give the same events however they are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1 }),
        (name, sizes) => {
          const bytes = Buffer.from(
            linesOf(name)
              .map((line) => `${line}\n`)
              .join(''),
          );
          const splitter = new LineSplitter();
          const lines: string[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            lines.push(...splitter.push(bytes.subarray(at, at + size)).map((line) => line.text));
            at += size;
          }
          expect(decodeAll(lines)).toEqual(decodeAll(linesOf(name)));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('that are no message we know never throw, and are kept', () => {
    const anyMessage = fc.oneof(
      fc.record({ type: fc.constant('update' as const), update: jsonObject(), raw: fc.string() }),
      fc.record({ type: fc.constant('request' as const), params: jsonObject() }),
      fc.record({ type: fc.constant('result' as const), result: jsonObject() }),
      fc.record({ type: fc.constant('error' as const), error: jsonObject() }),
    );
    fc.assert(
      fc.property(fc.array(anyMessage), (messages) => {
        let state: GeminiTurnState = newGeminiTurnState;
        for (const message of messages) {
          const [next, events] = stepGeminiTurn(state, message);
          state = next;
          if (message.type === 'update' && message.update['sessionUpdate'] === undefined) {
            expect(events).toMatchObject([{ type: 'notice', raw: message.raw }]);
          }
          const endings = events.filter(({ type }) => type === 'ending').length;
          expect(endings).toBe(message.type === 'result' || message.type === 'error' ? 1 : 0);
        }
      }),
    );
  });
});

describe('an ending', () => {
  const endingOf = (message: GeminiMessage, state = newGeminiTurnState) =>
    stepGeminiTurn(state, message)[1].at(-1);
  const error = (code: number, message: string) => endingOf({ type: 'error', error: { code, message } });

  it('takes the words where the status says nothing', () => {
    expect(error(500, 'models/x is not found: the model does not exist')).toEqual(
      failed('bad_request', 'models/x is not found: the model does not exist'),
    );
    expect(error(500, 'something else')).toEqual({
      type: 'ending',
      ending: { type: 'failed', message: 'something else' },
    });
    expect(error(503, 'busy')).toEqual(failed('overloaded', 'busy'));
    expect(error(-32602, 'Session not found: x')).toEqual(
      failed('session_not_found', 'Session not found: x'),
    );
  });

  it('knows a prompt that is too long from an answer that is', () => {
    const result: GeminiMessage = { type: 'result', result: { stopReason: 'max_tokens' } };
    expect(endingOf(result)).toEqual(failed('bad_request', 'The prompt does not fit the context window'));
    expect(endingOf(result, { ...newGeminiTurnState, spoke: true })).toMatchObject({
      ending: { stopReason: 'max_tokens' },
    });
  });

  it('has our word for the limit of turns', () => {
    const result: GeminiMessage = { type: 'result', result: { stopReason: 'max_turn_requests' } };
    expect(endingOf(result)).toMatchObject({ ending: { type: 'answered', stopReason: 'max_turns' } });
  });
});

describe('a permission', () => {
  const options = [
    { optionId: 'a', name: 'Allow all server tools for this session', kind: 'allow_always' },
    { optionId: 'b', name: 'Allow tool for this session', kind: 'allow_always' },
    { optionId: 'c', name: 'Allow tool for all future sessions', kind: 'allow_always' },
    { optionId: 'd', name: 'Allow', kind: 'allow_once' },
    { optionId: 'e', name: 'Reject', kind: 'reject_once' },
  ];

  it('is chosen by kind, and the narrowest of several', () => {
    expect(chooseOption({ options }, 'allow')).toEqual(selected('d'));
    expect(chooseOption({ options }, 'allow_always')).toEqual(selected('b'));
    expect(chooseOption({ options }, 'deny')).toEqual(selected('e'));
    expect(chooseOption({ options }, undefined)).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  it('for always is one for once where there is no other, and nothing is chosen that was not offered', () => {
    expect(chooseOption({ options: options.slice(3) }, 'allow_always')).toEqual(selected('d'));
    expect(chooseOption({ options: [] }, 'deny')).toEqual({ outcome: { outcome: 'cancelled' } });
  });
});

describe('a prompt', () => {
  const texts = (prompt: string, systemPrompt = '') =>
    promptBlocks(prompt, systemPrompt).map((block) => block.text);

  it('is a block of its own, and no command', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `/${rest}`),
        ),
        fc.string(),
        (prompt, system) => {
          const blocks = texts(prompt, system);
          expect(blocks.at(-1)).toBe(prompt);
          expect(blocks.join('').trim()).not.toMatch(/^[/$]/);
        },
      ),
    );
    expect(texts('plain')).toEqual(['plain']);
  });

  it('tells instructions so that they are known again', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (system, prompt) => {
        expect(matchInstructions(texts(prompt, system).join(''), system)).toBe(true);
        expect(matchInstructions(texts(prompt, system).join(''), `${system}!`)).toBe(false);
      }),
    );
    expect(matchInstructions('plain', 'Be brief.')).toBeUndefined();
  });
});

describe('the retries in the debug log', () => {
  const log = [
    '[2026-01-01T00:00:00.000Z] [DEBUG] [Routing] Selected model',
    '[2026-01-01T00:00:01.000Z] [WARN] Attempt 1 failed: Quota exceeded.',
    'Suggested retry after 2.5s.. Retrying after 5400ms...',
    '[2026-01-01T00:00:02.000Z] [WARN] Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {}',
    '[2026-01-01T00:00:03.000Z] [WARN] Attempt 3 failed: Quota exceeded.. Max attempts reached',
    '',
  ].join('\n');
  const messages = [
    'The API failed (Quota exceeded); Gemini tries again: retry 1 in 5.4 s',
    'The API failed (status 503); Gemini tries again: retry 2',
  ];

  it('are found, but not the end of them', () => {
    expect(findRetries(log)[0].map((event) => event.type === 'notice' && event.message)).toEqual(messages);
  });

  it('are found once however the log is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: log.length }), (at) => {
        const [first, rest] = findRetries(log.slice(0, at));
        const [second] = findRetries(rest + log.slice(at));
        expect([...first, ...second].map((event) => event.type === 'notice' && event.message)).toEqual(
          messages,
        );
      }),
    );
  });
});

const said = (events: readonly LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
const start = (id: string, name: string, input: unknown) => ({ type: 'tool_start', id, name, input });
const end = (id: string, output: string, isError = false) => ({ type: 'tool_end', id, output, isError });
const failed = (code: string, message: string) => ({
  type: 'ending',
  ending: { type: 'failed', code, message },
});
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

function jsonObject(): fc.Arbitrary<JsonObject> {
  return fc.dictionary(
    fc.constantFrom('content', 'toolCall', 'options', 'code', 'message', 'status', 'x'),
    fc.jsonValue(),
  );
}

function linesOf(name: string): readonly string[] {
  return read(name).map((recorded) => JSON.stringify(recorded));
}

function replay(name: string): readonly (readonly LiveEvent[])[] {
  return decodeAll(linesOf(name));
}

/** The turns of a conversation: each begins with our prompt and lasts until its answer. */
function decodeAll(lines: readonly string[]): readonly (readonly LiveEvent[])[] {
  const turns: LiveEvent[][] = [];
  let state: GeminiTurnState = newGeminiTurnState;
  let promptId: unknown;
  let question: JsonObject = {};
  const take = (message: GeminiMessage) => {
    if (promptId === undefined) return;
    const [next, events] = stepGeminiTurn(state, message);
    state = next;
    turns.at(-1)?.push(...events);
  };
  for (const raw of lines) {
    const { from, message } = JSON.parse(raw) as Recorded;
    const params = object(message['params']);
    if (message['method'] === 'session/prompt') {
      promptId = message['id'];
      state = newGeminiTurnState;
      turns.push([]);
    } else if (message['method'] === 'session/update') {
      take({ type: 'update', update: object(params['update']), raw });
    } else if (message['method'] === 'session/request_permission') {
      question = params;
      take({ type: 'request', params });
    } else if (from === 'turnout' && 'result' in message) {
      take(ourAnswer(question, object(object(message['result'])['outcome'])));
    } else if (from === 'gemini' && promptId !== undefined && message['id'] === promptId) {
      if ('error' in message) take({ type: 'error', error: object(message['error']) });
      else take({ type: 'result', result: object(message['result']) });
      promptId = undefined;
    }
  }
  return turns;
}

function ourAnswer(question: JsonObject, outcome: JsonObject): GeminiMessage {
  const chosen = objects(question['options']).find((option) => option['optionId'] === outcome['optionId']);
  const decision =
    chosen?.['kind'] === 'allow_once'
      ? 'allow'
      : chosen?.['kind'] === 'allow_always'
        ? 'allow_always'
        : 'deny';
  return { type: 'answered', id: text(object(question['toolCall'])['toolCallId']), decision };
}
