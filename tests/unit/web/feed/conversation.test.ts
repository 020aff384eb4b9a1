import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { emptyConversation, type Frame, fold, foldAll } from '../../../../web/feed/conversation.js';
import { chat, message, said, turned } from './frames.js';

const events: readonly ChatEvent[] = [
  { type: 'session', sessionId: 's', backend: 'demo', model: 'demo-1' },
  { type: 'thinking_start' },
  { type: 'thinking', text: 'Hm' },
  { type: 'thinking', text: 'm.' },
  { type: 'thinking_end' },
  { type: 'text', text: 'I look' },
  { type: 'text', text: ' at it.' },
  { type: 'tool_start', id: 't1', name: 'Read', input: { file_path: 'a' } },
  { type: 'permission_request', id: 'p1', tool: 'Read', input: {}, options: ['allow', 'deny'] },
  { type: 'permission_resolved', id: 'p1', decision: 'allow' },
  { type: 'tool_end', id: 't1', output: 'text', isError: false },
  { type: 'notice', level: 'info', message: 'beside the protocol', raw: '{}' },
  { type: 'notice', level: 'info', message: 'A message came in: be quick', eventId: 'e2' },
  { type: 'text', text: 'Done.' },
  { type: 'usage', inputTokens: 10, outputTokens: 2 },
  { type: 'complete', text: 'Done.', sessionId: 's', stopReason: 'end_turn' },
];

const steps = [
  { type: 'thinking', text: 'Hmm.', ended: true },
  { type: 'text', text: 'I look at it.' },
  {
    type: 'tool',
    id: 't1',
    name: 'Read',
    input: { file_path: 'a' },
    end: { output: 'text', isError: false, denied: false },
  },
  { type: 'permission', id: 'p1', tool: 'Read', input: {}, decision: 'allow' },
  { type: 'steering', eventId: 'e2', message: 'A message came in: be quick' },
  { type: 'text', text: 'Done.' },
];

function stream(): readonly Frame[] {
  return [
    turned('t', ['e1']),
    ...events.map((event, index) => chat('t', event, `1.7.${index + 1}.0`)),
    turned('t', ['e1'], 'answered'),
  ];
}

describe('the fold over a channel’s feed', () => {
  it('puts what an agent says and does into steps (16.4)', () => {
    const [found] = foldAll(emptyConversation, stream()).turns;
    expect(found).toMatchObject({
      turnId: 't',
      eventIds: ['e1'],
      state: 'answered',
      backend: 'demo',
      model: 'demo-1',
      usage: { inputTokens: 10, outputTokens: 2 },
      steps,
    });
  });

  it('comes to the same whatever comes first: messages, turns or their ends (16.4)', () => {
    const chats = stream().filter(({ type }) => type === 'chat');
    const others = [said(1, 'user', 'e1'), said(2, 'assistant', 'e1'), turned('t', ['e1'], 'answered')];
    const places = fc.tuple(fc.nat(chats.length), fc.nat(chats.length), fc.nat(chats.length));
    fc.assert(
      fc.property(places, (at) => {
        const frames: Frame[] = [...chats];
        for (const [index, place] of at.entries()) frames.splice(place, 0, others[index] as Frame);
        const state = foldAll(emptyConversation, frames);
        expect(state.messages.map(({ id }) => id)).toEqual(['1', '2']);
        expect(state.turns).toHaveLength(1);
        expect(state.turns[0]).toMatchObject({ eventIds: ['e1'], state: 'answered', steps });
      }),
    );
  });

  it('counts nothing twice if a stream begins anew anywhere before (16.2)', () => {
    const all = stream();
    const cut = fc.nat(all.length).chain((end) => fc.tuple(fc.constant(end), fc.nat(end)));
    fc.assert(
      fc.property(cut, ([end, again]) => {
        const frames = [...all.slice(0, end), ...all.slice(again)];
        expect(foldAll(emptyConversation, frames).turns).toEqual(foldAll(emptyConversation, all).turns);
      }),
    );
  });

  it('knows a message that comes from the history and the stream as one, and keeps the order (16.4)', () => {
    const state = foldAll(emptyConversation, [
      said(5, 'user', 'e5'),
      {
        type: 'page',
        page: {
          messages: [message(3, 'user', 'e3'), message(4, 'assistant', 'e3'), message(5, 'user', 'e5')],
          previous: '3',
        },
      },
      said(7, 'assistant', 'e5'),
      said(6, 'system', null),
    ]);
    expect(state.messages.map(({ id }) => id)).toEqual(['3', '4', '5', '6', '7']);
    expect(state).toMatchObject({ previous: '3', loaded: true });
    const older = fold(state, { type: 'page', page: { messages: [message(1, 'user', 'e1')] } });
    expect(older.messages[0]?.id).toBe('1');
    expect(older.previous).toBe('none');
    // The last page read again, after a gap, does not forget that.
    const again = fold(older, {
      type: 'page',
      page: { messages: [message(7, 'assistant', 'e5')], previous: '7' },
    });
    expect(again.previous).toBe('none');
    expect(again.messages).toBe(older.messages);
  });

  it('knows what became of a message, and what was read of past turns (16.4)', () => {
    const page = (state: 'queued' | 'cancelled'): Frame => ({
      type: 'page',
      page: { messages: [{ ...message(1, 'user', 'e1'), state, begun: false }] },
    });
    const state = foldAll(emptyConversation, [page('queued'), ...stream()]);
    expect(fold(state, page('cancelled')).messages[0]).toMatchObject({ state: 'cancelled' });
    const told: Frame = { type: 'event', eventId: 'e1', state: 'cancelled', begun: false };
    expect(fold(state, told).messages[0]).toMatchObject({ state: 'cancelled', text: 'user 1' });
    const past = foldAll(emptyConversation, [turned('past', ['e0'], 'failed')]).turns;
    const read = fold(state, { type: 'past', turns: [...past, ...state.turns] });
    expect(read.turns.map(({ turnId }) => turnId)).toEqual(['past', 't']);
  });

  it('knows a message that has come into the running turn (16.4)', () => {
    const status = { running: { turnId: 't', eventIds: ['e1', 'e2'] } } as never;
    const state = foldAll(emptyConversation, [turned('t', ['e1']), { type: 'state', status }]);
    expect(state.turns[0]?.eventIds).toEqual(['e1', 'e2']);
  });

  it('begins anew when it is told to, and keeps how the channel is (16.2)', () => {
    const status = { channel: 'home' } as never;
    const state = foldAll(emptyConversation, [...stream(), { type: 'state', status }, { type: 'reset' }]);
    expect(state).toEqual({ ...emptyConversation, status });
    // Positions of before mean nothing.
    expect(foldAll(state, stream()).turns[0]?.steps).toEqual(steps);
  });

  it('ends a failed turn with its error, and shows what is unknown to it as nothing (16.4)', () => {
    const state = foldAll(emptyConversation, [
      chat('t', { type: 'thinking_start' }),
      chat('t', { type: 'a_later_invention' } as never),
      chat('t', { type: 'tool_end', id: 'never begun', output: '', isError: false }),
      chat('t', { type: 'error', code: 'interrupted', message: 'Interrupted', retryable: false }),
    ]);
    expect(state.turns[0]).toMatchObject({
      state: 'running',
      error: { code: 'interrupted' },
      steps: [{ type: 'thinking', text: '', ended: true }],
    });
  });
});
