import type { StoredMessage, StoredTurn } from '../../store/rows.js';
import type { Store, TurnRange } from '../../store/store.js';

/** So many rows are held at a time. */
const pageSize = 25;

/** Is called in front of each page, and waited for: for a rest, or, by throwing, for an end. */
export type BetweenPages = () => Promise<void>;

/** Yields the turns that ended in a range, oldest first, without holding more than a page of them. */
export async function* readTurns(
  store: Pick<Store, 'turnsEnded'>,
  range: TurnRange,
  {
    limit = pageSize,
    between,
  }: { readonly limit?: number; readonly between?: BetweenPages | undefined } = {},
): AsyncGenerator<StoredTurn> {
  let behind = range.behind;
  for (;;) {
    await between?.();
    const page = await store.turnsEnded({ ...range, behind, limit });
    yield* page;
    const last = page.at(-1);
    if (last?.endedAt === undefined || page.length < limit) return;
    behind = { endedAt: last.endedAt, seq: last.seq };
  }
}

/** Yields the messages behind an id, oldest first. */
export async function* readMessages(
  store: Pick<Store, 'messages'>,
  channel: string,
  after: number,
  between?: BetweenPages | undefined,
): AsyncGenerator<StoredMessage> {
  let from = after;
  for (;;) {
    await between?.();
    const page = await store.messages(channel, { after: from, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    from = page.at(-1)?.id ?? from;
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
