import { describe, expect, it } from 'vitest';
import { type ChatEvent, errorEvent, notice, type StepEvent } from '../../../src/core/chat-event.js';
import { maxAnswerChars, TurnLedger } from '../../../src/core/turn-ledger.js';

const text = (said: string): StepEvent => ({ type: 'text', text: said });
const thinking = (thought: string): StepEvent => ({ type: 'thinking', text: thought });
const toolStart = (id: string): StepEvent => ({ type: 'tool_start', id, name: 'shell', input: {} });
const toolEnd = (id: string): StepEvent => ({ type: 'tool_end', id, output: 'out', isError: false });
const session = (sessionId: string): StepEvent => ({ type: 'session', sessionId, backend: 'claude' });

describe('a turn ledger', () => {
  it('answers with what was said after the last tool', () => {
    const { ledger, events } = accept(
      text('Let me look. '),
      toolStart('t'),
      toolEnd('t'),
      text('All '),
      text('good.'),
    );
    expect(types(events)).toEqual(['text', 'tool_start', 'tool_end', 'text', 'text']);
    expect(ledger.complete('end_turn')).toEqual([
      { type: 'complete', text: 'All good.', sessionId: '', stopReason: 'end_turn' },
    ]);
    expect(ledger.toolsBegun).toBe(true);
  });

  it('leaves out numbers that can not be true [fault 13.1: usage that is no number of tokens]', () => {
    const usage = (inputTokens: number, costUsd: number): StepEvent => ({
      type: 'usage',
      inputTokens,
      outputTokens: 7.4,
      cachedInputTokens: Number.NaN,
      costUsd,
      contextTokens: inputTokens,
      contextWindow: inputTokens,
    });
    const usable = (input: number, cost: number) => accept(usage(input, cost)).events;
    for (const [tokens, cost] of [
      [1e308, Number.POSITIVE_INFINITY],
      [-5, -1],
      [2 ** 53, Number.NaN],
      [0, -1],
    ] as const)
      expect(usable(tokens, cost)).toEqual([{ type: 'usage', inputTokens: 0, outputTokens: 7 }]);
    expect(usable(3, 0.5)).toEqual([
      { type: 'usage', inputTokens: 3, outputTokens: 7, costUsd: 0.5, contextTokens: 3, contextWindow: 3 },
    ]);
  });

  it("prefers the CLI's own words for the answer", () => {
    const { ledger } = accept(text('a'));
    expect(ledger.complete('end_turn', 'b')).toMatchObject([{ text: 'b' }]);
  });

  it('says a session once, and a new one again; the last is the one of the turn', () => {
    const { ledger, events } = accept(session('a'), session('a'), session('b'));
    expect(events).toMatchObject([{ sessionId: 'a' }, { sessionId: 'b' }]);
    expect(ledger.complete('end_turn', 'x')).toMatchObject([{ sessionId: 'b' }]);
  });

  it.each(['../../../../etc/passwd', 'a b\nc', 'a\\b', 'a\u001b[2J', '-x', ''])(
    'keeps no session id that can be none, and says so once: %j (27.9)',
    (id) => {
      const { ledger, events } = accept(session('a'), session(id), session(id));
      expect(events).toMatchObject([{ sessionId: 'a' }, { type: 'notice', level: 'warning' }]);
      expect(ledger.complete('end_turn', 'x')).toMatchObject([{ sessionId: 'a' }]);
    },
  );

  it.each(['3f2a9b1c-77aa-4bcd-8eff-0123456789ab', 'ses_5e0dF', '7', 'own:id.1~+=@%', 'größe-日本'])(
    'keeps any printable word as a session id: %s (27.9)',
    (id) => expect(accept(session(id)).events).toMatchObject([{ type: 'session', sessionId: id }]),
  );

  it('puts thinking in brackets, which close before what follows and before the end', () => {
    const { ledger, events } = accept(
      thinking('a'),
      thinking('b'),
      text('c'),
      thinking('d'),
      toolStart('t'),
      thinking('e'),
    );
    expect(types(events)).toEqual([
      ...['thinking_start', 'thinking', 'thinking', 'thinking_end', 'text'],
      ...['thinking_start', 'thinking', 'thinking_end', 'tool_start', 'thinking_start', 'thinking'],
    ]);
    expect(types(ledger.complete('end_turn'))).toEqual(['thinking_end', 'tool_end', 'complete']);
  });

  it('puts an empty line between two thoughts, where the decoder tells of their beginning (18.1)', () => {
    const next: StepEvent = { type: 'thinking_start' };
    const thoughts = [next, thinking('a'), thinking('b'), next, thinking(''), thinking('c'), text('d')];
    const { events } = accept(...thoughts, next, thinking('e'), thinking('f'));
    expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual([
      ...['thinking_start', 'a', 'b', '\n\nc', 'thinking_end', 'd', 'thinking_start', 'e', 'f'],
    ]);
  });

  it('passes over what is empty and brackets that a decoder makes itself', () => {
    const { events } = accept(text(''), thinking(''), { type: 'thinking_start' }, { type: 'thinking_end' });
    expect(events).toEqual([]);
  });

  it('lets each tool start once and end once, and starts one that only ended', () => {
    const { events } = accept(
      toolStart('a'),
      toolStart('a'),
      toolEnd('a'),
      toolEnd('a'),
      toolEnd('b'),
      toolStart('b'),
    );
    expect(events).toMatchObject([
      { type: 'tool_start', id: 'a' },
      { type: 'tool_end', id: 'a' },
      { type: 'tool_start', id: 'b', name: 'unknown' },
      { type: 'tool_end', id: 'b' },
    ]);
  });

  it('ends the tools that a turn leaves running', () => {
    const { ledger } = accept(toolStart('a'), toolStart('b'), toolEnd('a'));
    expect(ledger.fail(errorEvent('timeout', 'late'))).toMatchObject([
      { type: 'tool_end', id: 'b', isError: true },
      { type: 'error', code: 'timeout', retryable: true },
    ]);
  });

  it('has one terminal event, and nothing behind it', () => {
    const { ledger } = accept(text('a'));
    expect(ledger.complete('end_turn')).toHaveLength(1);
    expect(ledger.ended).toBe(true);
    expect(ledger.complete('end_turn')).toEqual([]);
    expect(ledger.fail(errorEvent('unknown', 'x'))).toEqual([]);
    expect(ledger.accept(text('b'))).toEqual([]);
    expect(ledger.accept(notice('info', 'c'))).toEqual([]);
  });

  it('keeps the last usage for the end', () => {
    const { ledger, events } = accept(
      { type: 'usage', inputTokens: 1, outputTokens: 1 },
      { type: 'usage', inputTokens: 5, outputTokens: 2, costUsd: 0.1 },
      text('a'),
    );
    expect(types(events)).toEqual(['usage', 'usage', 'text']);
    expect(ledger.complete('end_turn')).toMatchObject([
      { usage: { inputTokens: 5, outputTokens: 2, costUsd: 0.1 } },
    ]);
  });

  it('streams an answer without end, keeps its beginning, and says so once', () => {
    const half = 'x'.repeat(maxAnswerChars / 2 + 1);
    const { ledger, events } = accept(text(half), text(half), text(half));
    expect(types(events)).toEqual(['text', 'text', 'notice', 'text']);
    const [complete] = ledger.complete('end_turn');
    expect(complete?.type === 'complete' && complete.text.length).toBe(maxAnswerChars);
  });

  it('joins a hundred thousand pieces', () => {
    const { ledger } = accept(...Array.from({ length: 100_000 }, (_, at) => text(String(at % 10))));
    const [complete] = ledger.complete('end_turn');
    expect(complete).toMatchObject({ text: '0123456789'.repeat(10_000) });
  });
});

function accept(...steps: readonly StepEvent[]): { ledger: TurnLedger; events: readonly ChatEvent[] } {
  const ledger = new TurnLedger();
  return { ledger, events: steps.flatMap((step) => ledger.accept(step)) };
}

function types(events: readonly ChatEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}
