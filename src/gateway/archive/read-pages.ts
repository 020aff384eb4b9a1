import { setImmediate as nextLoop } from 'node:timers/promises';
import type { StoredMessage, StoredTurn } from '../../store/rows.js';
import type { Store, TurnRange } from '../../store/store.js';

/** The store answers in the same thread: after so many rows others get their turn. */
const pageSize = 25;

/** Yields the turns that ended in a range, oldest first, without holding more than a page of them. */
export async function* readTurns(
  store: Pick<Store, 'turnsEnded'>,
  range: TurnRange,
  firstLimit = pageSize,
): AsyncGenerator<StoredTurn> {
  let since = range.since;
  let limit = firstLimit;
  /** Turns that ended at exactly `since`: they come again at the head of the next page. */
  let seen = new Set<string>();
  for (;;) {
    const page = await store.turnsEnded({ ...range, since, limit });
    yield* page.filter(({ id }) => !seen.has(id));
    if (page.length < limit) return;
    const last = page.at(-1)?.endedAt;
    const atLast = page.filter(({ endedAt }) => endedAt === last).map(({ id }) => id);
    if (last === since)
      limit *= 2; // More turns ended in this one millisecond than a page holds.
    else limit = firstLimit;
    seen = new Set(atLast);
    since = last;
    await nextLoop();
  }
}

/** Yields the messages behind an id, oldest first. */
export async function* readMessages(
  store: Pick<Store, 'messages'>,
  channel: string,
  after: number,
): AsyncGenerator<StoredMessage> {
  let from = after;
  for (;;) {
    const page = await store.messages(channel, { after: from, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    from = page.at(-1)?.id ?? from;
    await nextLoop();
  }
}

/**
 * The id behind which a channel's messages are from `since` on. Ids grow with time, so this takes a few dozen looks,
 * however long the history is.
 */
export function idBefore(store: Pick<Store, 'messages'>, channel: string, since: number): Promise<number> {
  return lastIdWhere(store, channel, ({ createdAt }) => createdAt < since);
}

/** An id behind which at least `wanted` messages of a channel stand, and not many more, where there are so many. */
export async function idBeforeNewest(
  store: Pick<Store, 'messages'>,
  channel: string,
  wanted: number,
): Promise<number> {
  const newest = await lastIdWhere(store, channel, () => true);
  for (let back = wanted; back < newest; back *= 2) {
    const page = await store.messages(channel, { after: newest - back, limit: wanted });
    if (page.length >= wanted) return newest - back;
  }
  return 0;
}

/** The id of the last message for which something holds that holds for all before it; 0 when for none. */
async function lastIdWhere(
  store: Pick<Store, 'messages'>,
  channel: string,
  holds: (message: StoredMessage) => boolean,
): Promise<number> {
  const nextAfter = async (id: number) => (await store.messages(channel, { after: id, limit: 1 }))[0];
  /** `holds` is true for this id. */
  let low = 0;
  /** `holds` is false for every message behind this id. */
  let high = Number.POSITIVE_INFINITY;
  for (let step = 1; low < high; ) {
    const probe = high === Number.POSITIVE_INFINITY ? low + step : low + Math.floor((high - low) / 2);
    const message = await nextAfter(probe);
    if (message !== undefined && holds(message)) {
      low = message.id;
      step *= 2;
    } else if (probe === low) {
      return low;
    } else {
      high = probe;
    }
  }
  return low;
}
