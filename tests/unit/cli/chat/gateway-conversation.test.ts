import { describe, expect, it } from 'vitest';
import type { ConversationEvent } from '../../../../src/cli/chat/conversation.js';
import { GatewayConversation } from '../../../../src/cli/chat/gateway-conversation.js';
import type { ChannelEntry } from '../../../../src/cli/client/follow-channel.js';
import type { GatewayClient, OutgoingMessage } from '../../../../src/cli/client/gateway-client.js';
import { TurnoutError } from '../../../../src/core/errors.js';
import type {
  ChannelStatusView,
  EventView,
  MessageView,
  ReceiptView,
} from '../../../../src/gateway/channels/http/wire.js';

const status = { channel: 'main', backend: 'demo', permissionMode: 'ask', cwd: '/project', permissions: [] };

/** A channel of a gateway that says what the test tells it to. */
class Stage {
  readonly told: ConversationEvent[] = [];
  readonly sent: string[] = [];
  readonly messages: MessageView[] = [];
  send: (message: OutgoingMessage) => Promise<ReceiptView> = async () => ({
    eventId: `own-${this.sent.length}`,
    state: 'queued',
  });
  ended: Partial<EventView> = { state: 'answered', attempts: 1 };
  readonly chat: GatewayConversation;
  #entries: ChannelEntry[] = [];
  #wake: () => void = () => undefined;

  constructor() {
    const client: Partial<GatewayClient> = {
      messages: async (_, { after, before = 'latest', limit }) => ({
        messages:
          after === undefined
            ? this.messages
                .filter(({ id }) => before === 'latest' || Number(id) < Number(before))
                .slice(-limit)
            : this.messages.filter(({ id }) => Number(id) > Number(after)).slice(0, limit),
      }),
      send: async (_, message) => {
        this.sent.push(message.text);
        return this.send(message);
      },
      event: async () => this.ended as EventView,
      follow: (_, { signal }) => this.#follow(signal),
    };
    this.chat = new GatewayConversation(client as GatewayClient, status as unknown as ChannelStatusView);
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<ChannelEntry> {
    while (!signal.aborted) {
      yield* this.#entries.splice(0);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    }
  }

  async open(): Promise<this> {
    await this.chat.open((event) => void this.told.push(event));
    return this.hear({ type: 'connected', again: false });
  }

  async hear(...entries: readonly ChannelEntry[]): Promise<this> {
    this.#entries.push(...entries);
    await settled();
    this.#wake();
    await settled();
    return this;
  }

  say(id: number, given: Partial<MessageView> = {}): MessageView {
    const message: MessageView = {
      ...{ id: String(id), eventId: `e${id}`, role: 'user', text: `message ${id}` },
      ...{ createdAt: '2026-01-01T00:00:00Z', ...given },
    };
    this.messages.push(message);
    return message;
  }

  /** What stands on the screen of whoever has joined. */
  get shown(): readonly string[] {
    return this.told.flatMap((event) => {
      if (event.type === 'said' || event.type === 'answered' || event.type === 'note') return [event.text];
      return event.type === 'agent' && event.event.type === 'text' ? [event.event.text] : [];
    });
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const turn = (state: string, turnId = 't1'): ChannelEntry =>
  ({
    type: 'turn',
    turn: { turnId, state, eventIds: ['e2'], channel: 'main', startedAt: '' },
  }) as ChannelEntry;
const text = (piece: string): ChannelEntry => ({
  type: 'chat',
  event: { type: 'text', text: piece, turnId: 't1' },
});
const complete = (all: string): ChannelEntry => ({
  type: 'chat',
  event: { type: 'complete', text: all, sessionId: 's', stopReason: 'end_turn', turnId: 't1' },
});

describe('a chat in a channel of a gateway (18.1)', () => {
  it('shows what was said between the last messages and the stream, and behind a gap in it', async () => {
    const stage = new Stage();
    stage.say(1);
    const opening = stage.chat.open((event) => void stage.told.push(event));
    await opening;
    stage.say(2, { role: 'assistant', text: 'an answer' });
    await stage.hear({ type: 'connected', again: false });
    expect(stage.shown).toEqual(['message 1', 'an answer']);
    stage.say(3);
    stage.say(4, { role: 'assistant', text: 'another one' });
    await stage.hear({ type: 'reset' });
    expect(stage.shown.slice(2)).toEqual(['message 3', 'another one']);
    await stage.chat.close();
  });

  it('goes on with what is new, and ends the turn that it has shown, when a backup was restored (27.17)', async () => {
    const stage = new Stage();
    for (let id = 1; id <= 6; id++) stage.say(id, { createdAt: `2026-01-0${id}T00:00:00Z` });
    await stage.open();
    await stage.hear(turn('running'), text('half of an ans'));
    expect(stage.shown).toHaveLength(7);
    // The backup is of the second day.
    stage.messages.splice(2);
    stage.say(3, { text: 'new', createdAt: '2026-01-07T00:00:00Z' });
    await stage.hear({ type: 'reset' });
    const newer = stage.say(4, { text: 'newer', createdAt: '2026-01-08T00:00:00Z' });
    await stage.hear({ type: 'said', message: newer });
    expect(stage.shown.slice(7)).toEqual([expect.stringContaining('a backup was restored'), 'new', 'newer']);
    expect(stage.told).toContainEqual({
      type: 'agent',
      event: expect.objectContaining({ type: 'complete' }),
    });
    await stage.chat.close();
  });

  it('knows its own messages by their receipts: a failed one hides nobody else’s', async () => {
    const stage = await new Stage().open();
    stage.send = async () => {
      throw new TurnoutError('bad_request', 'no');
    };
    await stage.chat.say('run the tests');
    await stage.hear({ type: 'said', message: stage.say(1, { text: 'run the tests', author: 'ada' }) });
    expect(stage.shown).toEqual(['run the tests']);
    // The stream is faster than the receipt.
    let receive: (receipt: ReceiptView) => void = () => undefined;
    stage.send = () =>
      new Promise((resolve) => {
        receive = resolve;
      });
    const saying = stage.chat.say('again');
    await stage.hear({ type: 'said', message: stage.say(2, { text: 'again', eventId: 'mine' }) });
    receive({ eventId: 'mine', state: 'queued' });
    await saying;
    await stage.hear({ type: 'said', message: stage.say(3, { text: 'again', eventId: 'theirs' }) });
    expect(stage.shown).toEqual(['run the tests', 'again']);
    await stage.chat.close();
  });

  it('an answer that says nothing is told as such, and one that only begins so is told whole', async () => {
    const stage = await new Stage().open();
    await stage.hear(turn('running'), text('NO_'), text('REPLY'), complete('NO_REPLY'));
    await stage.hear({
      type: 'said',
      message: stage.say(1, { role: 'assistant', text: 'NO_REPLY', silent: true }),
    });
    await stage.hear(turn('running'), text('NO'), text('T yet'), complete('NOT yet'));
    await stage.hear({ type: 'said', message: stage.say(2, { role: 'assistant', text: 'NOT yet' }) });
    await stage.hear(turn('running'), text('NO'), complete('NO'));
    await stage.hear({ type: 'said', message: stage.say(3, { role: 'assistant', text: 'NO' }) });
    expect(stage.shown).toEqual(['(nothing to say)', 'NOT yet', 'NO']);
    await stage.chat.close();
  });

  it('hands the gateway’s commands on, and keeps a prompt from being one', async () => {
    const stage = await new Stage().open();
    await stage.chat.handOn('/retry');
    await stage.chat.say('/status');
    await stage.chat.say('/compact');
    expect(stage.sent).toEqual(['/retry', ' /status', '/compact']);
    stage.ended = { state: 'refused', attempts: 0, error: { code: 'overloaded', message: 'full' } };
    await expect(stage.chat.handOn('/usage')).rejects.toThrow('full');
    await stage.chat.close();
  });
});
