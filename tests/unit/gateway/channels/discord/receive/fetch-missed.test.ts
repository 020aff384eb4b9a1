import { describe, expect, it } from 'vitest';
import {
  defaultMissedLimits,
  fetchMissed,
  type MissedLimits,
} from '../../../../../../src/gateway/channels/discord/receive/fetch-missed.js';
import type { DiscordMessage } from '../../../../../../src/gateway/channels/discord/receive/read-message.js';
import { idAt, idBefore } from '../../../../../../src/gateway/channels/discord/snowflake.js';

const now = Date.UTC(2026, 0, 10);
const hour = 3_600_000;

/** A channel with a message in each second before now; those with these places, from the oldest on, are for the bot. */
function channel(length: number, ours: readonly number[], secondsBetween = 1) {
  const all = Array.from({ length }, (_, place) => ({
    id: idAt(now - (length - place) * secondsBetween * 1000),
    channel_id: '1',
    content: ours.includes(place) ? `ours ${place}` : 'theirs',
  }));
  const requests: string[] = [];
  const messages = async (_: string, page: { after?: string; before?: string; limit: number }) => {
    requests.push(page.after === undefined ? `before ${page.before}` : `after ${page.after}`);
    const { after, before, limit } = page;
    if (after !== undefined) return all.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
    const older = before === undefined ? all : all.filter(({ id }) => BigInt(id) < BigInt(before));
    return older.slice(-limit).reverse();
  };
  const look = async (seen: string, limits: Partial<MissedLimits> = {}) => {
    const { messages: found, ...rest } = await fetchMissed({
      api: { messages: messages as never },
      place: { channelId: '1', seen },
      limits: { ...defaultMissedLimits, ...limits },
      now,
      isForUs: async ({ content }: DiscordMessage) => content.startsWith('ours'),
      signal: new AbortController().signal,
    });
    return { found: found.map(({ content }) => Number(content.slice(5))), ...rest };
  };
  const idOf = (place: number) => all.at(place)?.id ?? '';
  return { look, requests, idOf };
}

describe('messages that came meanwhile (17.6)', () => {
  it('are found by one request if there are few, with the newest of all', async () => {
    const { look, requests, idOf } = channel(50, [3, 10, 40]);
    expect(await look(idOf(5))).toEqual({ found: [10, 40], newest: idOf(-1), leftOut: undefined });
    expect(requests).toHaveLength(1);
    expect(await look(idOf(-1))).toEqual({ found: [], newest: undefined, leftOut: undefined });
  });

  it.each([
    { name: 'the oldest', ours: [0, 1, 2, 3, 4] },
    { name: 'the newest', ours: [2995, 2996, 2997, 2998, 2999] },
    { name: 'anywhere', ours: [0, 99, 100, 1500, 2999] },
  ])('five for the bot among 3,000 are all found: $name', async ({ ours }) => {
    const { look, requests, idOf } = channel(3000, ours);
    expect(await look(idBefore(idOf(0)))).toEqual({ found: ours, newest: idOf(-1), leftOut: undefined });
    expect(requests.length).toBeLessThanOrEqual(31);
  });

  it.each([101, 199, 200, 201, 350])('none is found twice or missed where pages meet: %i', async (length) => {
    const ours = Array.from({ length }, (_, place) => place);
    const { look, idOf } = channel(length, ours);
    expect(await look(idBefore(idOf(0)), { maxCount: 1000 })).toMatchObject({ found: ours });
  });

  it('the newest are taken if more are for the bot than are answered, and the search ends there', async () => {
    const ours = Array.from({ length: 3000 }, (_, place) => place);
    const { look, requests, idOf } = channel(3000, ours);
    const { found, leftOut, newest } = await look(idBefore(idOf(0)));
    expect({ found, leftOut, newest }).toEqual({
      found: ours.slice(-100),
      leftOut: 'count',
      newest: idOf(-1),
    });
    expect(requests.length).toBeLessThanOrEqual(3);
    expect(await channel(100, ours.slice(0, 100)).look('0')).toMatchObject({ leftOut: undefined });
    const few = await channel(60, ours.slice(0, 60)).look('0', { maxCount: 50 });
    expect(few).toMatchObject({ found: ours.slice(10, 60), leftOut: 'count' });
  });

  it('no more are looked through than the limit says: the newest', async () => {
    const { look, requests, idOf } = channel(3000, [5, 1999, 2000, 2900]);
    const { found, leftOut, newest } = await look(idBefore(idOf(0)), { maxScan: 1000 });
    expect({ found, leftOut, newest }).toEqual({ found: [2000, 2900], leftOut: 'scan', newest: idOf(-1) });
    expect(requests).toHaveLength(11);
  });

  it('none is older than the limit, however long nobody has looked', async () => {
    // One every minute, for 50 hours: those of the last 24 count.
    const { look, idOf } = channel(3000, [1000, 1559, 1561, 2999], 60);
    const { found } = await look(idBefore(idOf(0)), { maxAgeMs: 24 * hour });
    expect(found).toEqual([1561, 2999]);
  });
});
