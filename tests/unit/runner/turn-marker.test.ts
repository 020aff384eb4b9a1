import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { LineSplitter } from '../../../src/process/split-lines.js';
import { TurnMarker } from '../../../src/runner/turn-marker.js';
import { chunksOf, cuts } from '../../property/arbitraries.js';
import { decodeOutput } from '../../property/decode-output.js';
import { isClaimed, type Message, message, messages } from './spoken.js';

const marker = 'ORCHESTRA_COMPLETE';
const quoted = `Print\n${marker}\nwhen it is done.`;

/** Events that are not the agent's own words, each with the marker in it, which may come anywhere. */
const asides: readonly ChatEvent[] = [
  { type: 'notice', level: 'warning', message: quoted, raw: marker },
  { type: 'usage', inputTokens: 1, outputTokens: 1 },
  { type: 'session', sessionId: marker, backend: marker },
  { type: 'permission_request', id: marker, tool: marker, input: { command: quoted }, options: ['deny'] },
  { type: 'permission_resolved', id: marker, decision: 'deny', message: quoted },
  { type: 'tool_end', id: 'background', output: quoted, isError: false },
];

/** What stands between two messages. */
const between: readonly (readonly ChatEvent[])[] = [
  [
    { type: 'tool_start', id: 't', name: 'Bash', input: { command: `echo ${marker}`, more: quoted } },
    { type: 'tool_end', id: 't', output: `${marker}\n`, isError: false },
  ],
  [
    { type: 'tool_start', id: 't', name: marker, input: quoted },
    { type: 'tool_end', id: 't', output: quoted, isError: true },
  ],
  [{ type: 'thinking_start' }, { type: 'thinking', text: `${marker}\n` }, { type: 'thinking_end' }],
];

const failed: ChatEvent = { type: 'error', code: 'unknown', message: quoted, retryable: false };

/** The pieces that a turn is told in, and what comes between them. */
const telling = fc.record({
  cuts: fc.array(fc.nat(), { maxLength: 12 }),
  asides: fc.array(fc.constantFrom(undefined, ...asides), { minLength: 1, maxLength: 8 }),
  between: fc.array(fc.constantFrom(...between), { minLength: 1, maxLength: 3 }),
  fails: fc.boolean(),
});
type Telling = typeof telling extends fc.Arbitrary<infer T> ? T : never;

/** The events of a turn in which the agent says these messages. */
function turnOf(said: readonly Message[], how: Telling, wholeMessages: boolean): readonly ChatEvent[] {
  let asked = 0;
  const aside = () => how.asides[asked++ % how.asides.length] ?? [];
  const events = said.flatMap(({ text }, at) => {
    const pieces = wholeMessages ? [text] : cutAt(text, how.cuts);
    // A CLI that tells whole messages may tell two of them in a row.
    const boundary = wholeMessages && how.fails ? [] : (how.between[at % how.between.length] ?? []);
    const telling = pieces.flatMap((piece) => [{ type: 'text', text: piece } as const, aside()].flat());
    return at === 0 ? telling : [...boundary, ...telling];
  });
  return [aside(), events, how.fails ? failed : completed(said.at(-1)?.text ?? '')].flat();
}

function completed(text: string): ChatEvent {
  return { type: 'complete', text, sessionId: 's', stopReason: 'end_turn' };
}

function cutAt(text: string, at: readonly number[]): readonly string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index]));
}

function judge(events: readonly ChatEvent[], wholeMessages: boolean, nonce?: string): boolean {
  const turn = new TurnMarker(nonce, wholeMessages);
  let known = false;
  for (const event of events) {
    turn.see(event);
    expect(turn.found || !known, 'what was found stays found').toBe(true);
    known = turn.found;
  }
  const verdict = turn.end();
  expect(verdict || !known, 'what was found counts').toBe(true);
  return verdict;
}

describe('the marker in a turn (O7)', () => {
  it.each([false, true])('counts what the agent said, and nothing else; whole messages: %s', (whole) => {
    fc.assert(
      fc.property(messages, telling, (said, how) => {
        expect(judge(turnOf(said, how, whole), whole)).toBe(isClaimed(said));
      }),
      { numRuns: 1000 },
    );
  });

  it('is the answer’s, too, where two messages were told without a line end between them', () => {
    fc.assert(
      fc.property(message, message, (first, last) => {
        const events: readonly ChatEvent[] = [
          { type: 'text', text: first.text },
          { type: 'text', text: last.text },
          completed(last.text),
        ];
        if (isClaimed([last])) expect(judge(events, false)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never counts without its nonce', () => {
    fc.assert(
      fc.property(messages, telling, fc.boolean(), (said, how, whole) => {
        expect(judge(turnOf(said, how, whole), whole, 'n0nce')).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is no part of a sentence that a tool in the background ends in', () => {
    const events: readonly ChatEvent[] = [
      { type: 'tool_start', id: 'b', name: 'Bash', input: {} },
      { type: 'text', text: 'At the end I print ' },
      { type: 'tool_end', id: 'b', output: '', isError: false },
      { type: 'text', text: `${marker}\nNot now.` },
      failed,
    ];
    expect(judge(events, false)).toBe(false);
  });
});

describe('the marker in bytes (O7)', () => {
  it('a program’s output: any cut of its bytes, also within characters, is the same', () => {
    fc.assert(
      fc.property(message, cuts, (said, at) => {
        const splitter = new LineSplitter(1024 ** 2);
        const batches = chunksOf(said.text, at).map((chunk) => splitter.push(chunk));
        const events: readonly ChatEvent[] = [...batches, splitter.flush()].map((lines) => ({
          type: 'text',
          text: lines.map((line) => `${line.text}\n`).join(''),
        }));
        expect(judge(events, false)).toBe(isClaimed([said]));
      }),
      { numRuns: 700 },
    );
  });

  it('Claude’s stream: words, thinking and tools with the marker, in any cut of the bytes', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.nat(), { maxLength: 8 }), cuts, (said, deltas, at) => {
        const stdout = `${claudeLines(said, deltas).join('\n')}\n`;
        const events = decodeOutput('claude', chunksOf(stdout, at));
        expect(events.at(-1)).toMatchObject({ type: 'complete' });
        expect(judge(events, false)).toBe(isClaimed(said));
      }),
      { numRuns: 300 },
    );
  });

  it('Codex’s stream of whole messages, in any cut of the bytes', () => {
    fc.assert(
      fc.property(messages, cuts, (said, at) => {
        const stdout = `${codexLines(said).join('\n')}\n`;
        const events = decodeOutput('codex', chunksOf(stdout, at));
        expect(events.at(-1)).toMatchObject({ type: 'complete' });
        expect(judge(events, true)).toBe(isClaimed(said));
      }),
      { numRuns: 300 },
    );
  });
});

/** `claude -p --output-format stream-json --include-partial-messages`, which also shows the prompt and a sub-agent. */
function claudeLines(said: readonly Message[], deltas: readonly number[]): readonly string[] {
  const ofSession = { session_id: 's', parent_tool_use_id: null };
  const event = (delta: object) => ({
    ...{ type: 'stream_event', ...ofSession },
    event: { type: 'content_block_delta', index: 0, delta },
  });
  const assistant = (content: object, parent: string | null = null) => ({
    ...{ type: 'assistant', ...ofSession, parent_tool_use_id: parent },
    message: { id: 'm', content: [content] },
  });
  const user = (content: unknown) => ({ type: 'user', ...ofSession, message: { role: 'user', content } });
  const lines = said.flatMap(({ text }, at) => [
    event({ type: 'thinking_delta', thinking: quoted }),
    assistant({ type: 'thinking', thinking: quoted }),
    ...cutAt(text, deltas).map((piece) => event({ type: 'text_delta', text: piece })),
    assistant({ type: 'text', text }),
    ...(at === said.length - 1
      ? []
      : [
          assistant({ type: 'tool_use', id: `t${at}`, name: 'Task', input: { prompt: quoted } }),
          assistant({ type: 'text', text: quoted }, `t${at}`),
          user([{ type: 'tool_result', tool_use_id: `t${at}`, content: quoted }]),
        ]),
  ]);
  const all = [
    { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [marker] },
    user(quoted),
    ...lines,
    { type: 'result', subtype: 'success', is_error: false, result: said.at(-1)?.text, session_id: 's' },
  ];
  return all.map((line) => JSON.stringify(line));
}

/** `codex exec --json`. */
function codexLines(said: readonly Message[]): readonly string[] {
  const item = (id: string, fields: object) => ({ type: 'item.completed', item: { id, ...fields } });
  const lines = said.flatMap(({ text }, at) => [
    item(`r${at}`, { type: 'reasoning', text: quoted }),
    item(`m${at}`, { type: 'agent_message', text }),
    item(`c${at}`, {
      ...{ type: 'command_execution', command: `echo ${marker}`, aggregated_output: `${marker}\n` },
      ...{ exit_code: 0, status: 'completed' },
    }),
  ]);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const all = [
    { type: 'thread.started', thread_id: 's' },
    ...lines.slice(0, -1),
    { type: 'turn.completed', usage },
  ];
  return all.map((line) => JSON.stringify(line));
}
