import type { ChatEvent } from '../../../../core/chat-event.js';
import { interruptedError } from '../../../../core/errors.js';
import { linkedSignal } from '../../../../core/linked-signal.js';
import { hasEnded, type StoredEvent, type StoredTurn } from '../../../../store/rows.js';
import type { FeedEntry, GatewayFace, IncomingMessage, Receipt } from '../../types.js';
import { AnswerText } from './answer-text.js';

/** A step of an answer as it comes. */
export type AnswerStep =
  | ({ readonly type: 'accepted' } & Receipt)
  | { readonly type: 'text'; readonly text: string }
  /** The last step. The event has not ended if the signal was aborted before. */
  | {
      readonly type: 'ended';
      readonly event: StoredEvent;
      readonly turn: StoredTurn | undefined;
      readonly events: readonly ChatEvent[];
    };

type Face = Pick<GatewayFace, 'receive' | 'follow' | 'waitForEnd' | 'reports'>;

/**
 * Sends a message and follows its answer. `accepted` comes first; whatever keeps the message from it is thrown: `interrupted` if the
 * signal is aborted before.
 */
export async function* followAnswer(
  gateway: Face,
  message: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<AnswerStep, void> {
  // The feed is read before the message is there, so that nothing of its turn is missed.
  const withoutTurn = new AbortController();
  const following = linkedSignal([signal, withoutTurn.signal]);
  const feed = gateway.follow(message.channel, { signal: following.signal })[Symbol.asyncIterator]();
  try {
    const early = await untilStatus(feed);
    if (signal.aborted) throw interruptedError();
    const receipt = await gateway.receive(message);
    const { event } = receipt;
    yield { type: 'accepted', ...receipt };
    const answer = new AnswerText();
    const ended = hasEnded(event)
      ? Promise.resolve(event)
      : gateway.waitForEnd(event.id, signal).then((end = event) => {
          // Nothing about it comes in the feed: it was refused, or cancelled before its turn, or needed no agent.
          if (!hasEnded(end) || end.turnId === undefined || end.kind === 'command') withoutTurn.abort();
          return end;
        });
    ended.catch(() => withoutTurn.abort());
    if (!hasEnded(event)) {
      for await (const text of textsOf(event, entriesOf(early, feed), answer)) yield { type: 'text', text };
    }
    const end = await ended;
    const rest = answer.rest(end);
    if (rest !== '') yield { type: 'text', text: rest };
    yield { type: 'ended', event: end, ...(await lastTurn(gateway, end)) };
  } finally {
    following.release();
    withoutTurn.abort();
    // The feed may be waiting for its next entry: it ends by the signal, not by this.
    void feed.return?.()?.catch(() => undefined);
  }
}

/** The turn that has ended an event, and what it said; nothing for an event that has not ended, or had no turn. */
export async function lastTurn(
  gateway: Pick<GatewayFace, 'reports'>,
  event: StoredEvent,
): Promise<{ readonly turn: StoredTurn | undefined; readonly events: readonly ChatEvent[] }> {
  const turn = hasEnded(event) ? (await gateway.reports.turns(event.id))?.at(-1) : undefined;
  return { turn, events: turn?.events ?? [] };
}

/** The texts of the event's turns, until the one that ends it has ended. */
async function* textsOf(
  event: StoredEvent,
  entries: AsyncIterable<FeedEntry>,
  answer: AnswerText,
): AsyncGenerator<string> {
  const turns = new Set<string>();
  for await (const entry of entries) {
    if (entry.type === 'turn' && entry.turn.eventIds.includes(event.id)) {
      const { id, endedAt, state } = entry.turn;
      if (endedAt !== undefined && state !== 'postponed') return;
      if (!turns.has(id)) answer.turnBegan();
      turns.add(id);
    }
    if (entry.type !== 'chat' || !turns.has(entry.turnId)) continue;
    const text = answer.see(entry.event);
    if (text !== '') yield text;
  }
}

/** The feed's first status tells that it is being read from here on. What came before it is kept. */
async function untilStatus(feed: AsyncIterator<FeedEntry>): Promise<readonly FeedEntry[]> {
  const early: FeedEntry[] = [];
  for (;;) {
    const { done, value } = await feed.next();
    if (done === true) return early;
    if (value.type === 'status') return early;
    early.push(value);
  }
}

async function* entriesOf(
  early: readonly FeedEntry[],
  feed: AsyncIterator<FeedEntry>,
): AsyncGenerator<FeedEntry> {
  yield* early;
  for (let next = await feed.next(); next.done !== true; next = await feed.next()) yield next.value;
}
