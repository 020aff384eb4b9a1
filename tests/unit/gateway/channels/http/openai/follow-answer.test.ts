import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../../../../src/core/chat-event.js';
import {
  type AnswerStep,
  followAnswer,
} from '../../../../../../src/gateway/channels/http/openai/follow-answer.js';
import { stopTurn } from '../../../../../../src/gateway/channels/http/openai/stop-turn.js';
import type { FeedEntry, GatewayFace } from '../../../../../../src/gateway/channels/types.js';
import { hasEnded, type StoredEvent, type StoredTurn } from '../../../../../../src/store/rows.js';

const message = { channel: 'c', source: 'openai', text: 'hi' };

const tool = { type: 'tool_start', id: '1', name: 'Bash', input: {} } as const;

describe('an answer as it comes', () => {
  it('is the text of the event’s own turns, with a gap where something came between (16.3)', async () => {
    const stage = new Stage();
    stage.feed(turn('before', ['other'], 'running'), chat('before', { type: 'text', text: 'not for us' }));
    const steps = stage.follow();
    await stage.accepted;
    stage.feed(turn('before', ['other'], 'answered'));
    stage.feed(turn('t1', ['e1'], 'running'), chat('t1', { type: 'text', text: 'Let me ' }));
    stage.feed(chat('t1', { type: 'thinking', text: 'hm' }), chat('t1', { type: 'text', text: 'look.' }));
    stage.feed(turn('t1', ['e1'], 'postponed'), turn('t2', ['e1'], 'running'));
    stage.feed(chat('t2', { type: 'text', text: 'Let me look.' }));
    stage.feed(chat('t2', { type: 'tool_start', id: '1', name: 'Bash', input: {} }));
    stage.feed(chat('t2', { type: 'text', text: 'Done.' }), turn('t2', ['e1'], 'answered'));
    stage.end({ state: 'answered', turnId: 't2', responseText: 'Done.' });
    const all = await steps;
    expect(all.map(brief)).toEqual([
      'accepted',
      ...['Let me ', 'look.', '\n\nLet me look.', '\n\nDone.'],
      'ended answered t2',
    ]);
    expect(stage.isFollowed).toBe(false);
  });

  it('has the answer also where no text came: of a command, or of a turn that was over at once', async () => {
    const stage = new Stage();
    const steps = stage.follow();
    await stage.accepted;
    stage.end({ state: 'answered', kind: 'command', turnId: 't1', responseText: 'codex answers here.' });
    expect((await steps).map(brief)).toEqual(['accepted', 'codex answers here.', 'ended answered t1']);

    const settled = new Stage({ state: 'answered', responseText: 'Nothing is running here.' });
    expect((await settled.follow()).map(brief)).toEqual([
      'accepted',
      'Nothing is running here.',
      'ended answered -',
    ]);
  });

  it.each([
    ['whole, if the record was cut before it', ['Step 1.'], 'All is done.', '\n\nAll is done.'],
    ['whole, if none of it came', [], 'All is done.', 'All is done.'],
    ['where the record was cut in it', ['Step 1.', tool, 'All is'], 'All is done.', ' done.'],
    ['whole, if a hook has changed it', ['Done.'], 'Done, and checked.', '\n\nDone, and checked.'],
    ['not twice', ['Step 1.', tool, 'All is', ' done.\n'], 'All is done.', undefined],
    ['not twice, if the CLI tells only its last message', ['All is', '\n\ndone.'], '\ndone. ', undefined],
    [
      'not twice, if the CLI tells what was said around a tool',
      ['One.', tool, 'Two.'],
      'One.\n\nTwo.',
      undefined,
    ],
    ['not twice, if there is none', ['Step 1.', tool], '', undefined],
  ])('has the rest of the answer at its end: %s (16.3)', async (_, events, responseText, expected) => {
    const stage = new Stage();
    const steps = stage.follow();
    await stage.accepted;
    const said = events.map((one) =>
      typeof one === 'string' ? ({ type: 'text', text: one } as const) : one,
    );
    stage.feed(turn('t1', ['e1'], 'running'), ...said.map((event) => chat('t1', event)));
    stage.feed(turn('t1', ['e1'], 'answered'));
    stage.end({ state: 'answered', turnId: 't1', responseText });
    const texts = events.filter((one) => typeof one === 'string');
    const came = (await steps).flatMap((step) => (step.type === 'text' ? [step.text] : []));
    expect(came.slice(texts.length)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('ends with an event that was cancelled before its turn, and with one that has not ended', async () => {
    const cancelled = new Stage();
    const steps = cancelled.follow();
    await cancelled.accepted;
    cancelled.end({ state: 'cancelled', error: { code: 'interrupted', message: 'Dropped' } });
    expect((await steps).map(brief)).toEqual(['accepted', 'ended cancelled -']);

    const stopped = new Stage();
    const left = stopped.follow();
    await stopped.accepted;
    stopped.abort();
    expect((await left).map(brief)).toEqual(['accepted', 'ended queued -']);
    expect(stopped.isFollowed).toBe(false);
  });
});

describe('a message whose client has gone', () => {
  it('is not taken at all if that was before it came to it (16.3)', async () => {
    const stage = new Stage();
    const steps = stage.follow();
    stage.abort();
    await expect(steps).rejects.toMatchObject({ code: 'interrupted' });
    expect(stage.isReceived).toBe(false);
    expect(stage.isFollowed).toBe(false);
  });

  it.each([
    ['is dropped while it waits', { waits: true, eventIds: ['other'] }, ['cancel']],
    ['is stopped while it runs', { waits: false, eventIds: ['e1'] }, ['cancel', 'interrupt t1']],
    ['goes on in a turn that answers others too', { waits: false, eventIds: ['e1', 'e2'] }, ['cancel']],
    ['stops no other turn', { waits: false, eventIds: ['e2'] }, ['cancel']],
  ])('%s (16.3)', async (_, { waits, eventIds }, expected) => {
    const calls: string[] = [];
    const gateway = {
      cancel: async () => calls.push('cancel') > 0 && waits,
      status: async () => ({ running: { turn: { id: 't1', eventIds } } }),
      interrupt: async (_: string, { turnId }: { turnId: string }) => calls.push(`interrupt ${turnId}`) > 0,
    } as unknown as GatewayFace;
    await stopTurn(gateway, new Stage().event);
    expect(calls).toEqual(expected);
  });
});

function brief(step: AnswerStep): string {
  if (step.type === 'text') return step.text;
  return step.type === 'accepted' ? 'accepted' : `ended ${step.event.state} ${step.turn?.id ?? '-'}`;
}

const position = { message: 0, messageAt: 0, turn: 1, turnAt: 1, index: 0, offset: 0 };

function turn(id: string, eventIds: readonly string[], state: StoredTurn['state']): FeedEntry {
  const endedAt = state === 'running' ? undefined : 2;
  return {
    type: 'turn',
    turn: { id, seq: 1, channel: 'c', eventIds, state, startedAt: 1, endedAt },
    position,
  };
}

function chat(turnId: string, event: ChatEvent): FeedEntry {
  return { type: 'chat', turnId, event, position };
}

/** A gateway with one event, whose feed is written by the test. */
class Stage {
  event: StoredEvent;
  isFollowed = false;
  isReceived = false;
  readonly accepted: Promise<void>;
  #accept: () => void = () => undefined;
  readonly #signal = new AbortController();
  readonly #entries: FeedEntry[] = [];
  #wake: () => void = () => undefined;
  #ended: (event: StoredEvent) => void = () => undefined;

  constructor(event: Partial<StoredEvent> = {}) {
    const base = { id: 'e1', seq: 1, channel: 'c', source: 'openai', kind: 'prompt', text: 'hi' } as const;
    this.event = { ...base, state: 'queued', createdAt: 1, attempts: 0, crashes: 0, ...event };
    this.accepted = new Promise((resolve) => {
      this.#accept = resolve;
    });
  }

  feed(...entries: readonly FeedEntry[]): void {
    this.#entries.push(...entries);
    this.#wake();
  }

  end(event: Partial<StoredEvent>): void {
    this.event = { ...this.event, ...event };
    this.#ended(this.event);
  }

  abort(): void {
    this.#signal.abort();
  }

  async follow(): Promise<readonly AnswerStep[]> {
    const steps: AnswerStep[] = [];
    for await (const step of followAnswer(this.#face(), message, this.#signal.signal)) {
      steps.push(step);
      if (step.type === 'accepted') setImmediate(this.#accept);
    }
    return steps;
  }

  #face(): GatewayFace {
    const face: Partial<GatewayFace> = {
      receive: async () => {
        this.isReceived = true;
        return { event: this.event, repeated: false };
      },
      follow: (_, { signal }) => this.#follow(signal),
      waitForEnd: (_, signal) =>
        new Promise((resolve) => {
          this.#ended = resolve;
          signal.addEventListener('abort', () => resolve(this.event));
        }),
      reports: {
        turns: async () => {
          if (this.event.turnId === undefined || !hasEnded(this.event)) return [];
          const { turnId: id, state } = this.event;
          return [
            {
              id,
              channel: 'c',
              eventIds: ['e1'],
              state: state as 'answered',
              startedAt: 1,
              tools: [],
              events: [],
            },
          ];
        },
      } as unknown as GatewayFace['reports'],
    };
    return face as GatewayFace;
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<FeedEntry> {
    this.isFollowed = true;
    try {
      yield* this.#entries.splice(0);
      yield { type: 'status', status: {} as never };
      for (;;) {
        yield* this.#entries.splice(0);
        if (signal.aborted) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener('abort', () => resolve());
        });
      }
    } finally {
      this.isFollowed = false;
    }
  }
}
