import { dayMs, dayOf, startOfDay } from '../../core/format.js';
import type { StoredEvent, StoredMessage, StoredTurn } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { type BetweenPages, idBefore, readMessages, readTurns } from './read-pages.js';
import type { DayEntry } from './render-markdown.js';

/** The part of the store that a channel's page is made from. */
export type DaySource = Pick<Store, 'turnsEnded' | 'turns' | 'turnEvents' | 'messages' | 'event'>;

/** No message is lost if the clock was set back by at most this. */
const clockSlackMs = 3_600_000;

/**
 * Yields the entries of a channel's day, in order. A turn belongs to the day on which it ended, together with the messages
 * that it answers; a message without a turn on that day (a command, a refusal, one that still waits) stands by itself.
 */
export async function* readDay(
  store: DaySource,
  channel: string,
  day: string,
  between?: BetweenPages | undefined,
): AsyncGenerator<DayEntry> {
  const since = startOfDay(day);
  const until = since + dayMs;
  const messages = new PeekableStream(messagesOf(store, channel, { since, until, between }));
  /** Events that were shown with a failed attempt; the next attempt need not repeat them. */
  const shown = new Set<string>();
  try {
    for await (const turn of readTurns(store, { channel, since, until }, { between })) {
      const end = turn.endedAt ?? until;
      yield* messagesAlone(store, day, messages, ({ createdAt }) => createdAt < end);
      const atEnd = await messages.takeWhile(({ createdAt }) => createdAt === end, 1000);
      const own = atEnd.filter((message) => message.role !== 'user' && belongsTo(message, turn));
      messages.putBack(atEnd.filter((message) => !own.includes(message)));
      const prompts = (await eventsOf(store, turn)).map((event) => ({
        event,
        shownAbove: shown.has(event.id),
      }));
      if (turn.state === 'postponed') for (const id of turn.eventIds) shown.add(id);
      yield { type: 'turn', turn, prompts, events: await store.turnEvents(turn.id), messages: own };
    }
    yield* messagesAlone(store, day, messages, () => true);
  } finally {
    await messages.close();
  }
}

/** Yields the next messages that stand by themselves, as long as they are wanted. */
async function* messagesAlone(
  store: DaySource,
  day: string,
  messages: PeekableStream<StoredMessage>,
  wanted: (message: StoredMessage) => boolean,
): AsyncGenerator<DayEntry> {
  for (let some = await messages.takeWhile(wanted, 100); some.length > 0; ) {
    for (const message of some) {
      const event = message.eventId === undefined ? undefined : await store.event(message.eventId);
      if (event === undefined || !(await isShownWithTurn(store, day, message, event))) {
        yield { type: 'message', message, event };
      }
    }
    some = await messages.takeWhile(wanted, 100);
  }
}

async function isShownWithTurn(
  store: DaySource,
  day: string,
  message: StoredMessage,
  event: StoredEvent,
): Promise<boolean> {
  if (message.role === 'assistant' || message.text !== event.text) return false;
  const turns = await store.turns(event.id);
  return turns.some(({ endedAt }) => endedAt !== undefined && dayOf(endedAt) === day);
}

async function* messagesOf(
  store: DaySource,
  channel: string,
  { since, until, between }: { since: number; until: number; between: BetweenPages | undefined },
) {
  const after = await idBefore(store, channel, since - clockSlackMs);
  for await (const message of readMessages(store, channel, after, between)) {
    if (message.createdAt >= until + clockSlackMs) return;
    if (message.createdAt >= since && message.createdAt < until) yield message;
  }
}

async function eventsOf(store: DaySource, turn: StoredTurn): Promise<readonly StoredEvent[]> {
  const events = await Promise.all(turn.eventIds.map((id) => store.event(id)));
  return events.filter((event) => event !== undefined);
}

function belongsTo(message: StoredMessage, turn: StoredTurn): boolean {
  return message.eventId !== undefined && turn.eventIds.includes(message.eventId);
}

/** A stream that can be looked into before it is read. */
class PeekableStream<T> {
  readonly #source: AsyncGenerator<T>;
  #waiting: T[] = [];

  constructor(source: AsyncGenerator<T>) {
    this.#source = source;
  }

  async takeWhile(wanted: (value: T) => boolean, most: number): Promise<T[]> {
    const taken: T[] = [];
    while (taken.length < most) {
      if (this.#waiting.length === 0) {
        const next = await this.#source.next();
        if (next.done) break;
        this.#waiting.push(next.value);
      }
      const [first] = this.#waiting as [T];
      if (!wanted(first)) break;
      taken.push(first);
      this.#waiting.shift();
    }
    return taken;
  }

  putBack(values: readonly T[]): void {
    this.#waiting = [...values, ...this.#waiting];
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }
}
