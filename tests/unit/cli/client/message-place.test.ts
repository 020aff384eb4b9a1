import { expect, it } from 'vitest';
import { MessagePlace } from '../../../../src/cli/client/message-place.js';
import type { MessageView } from '../../../../src/gateway/channels/http/wire.js';

const message = (id: number, minute: number): MessageView => ({
  ...{ id: String(id), eventId: null, role: 'user', text: `${id} at ${minute}` },
  createdAt: new Date(minute * 60_000).toISOString(),
});
const upTo = (count: number) => Array.from({ length: count }, (_, index) => message(index + 1, index + 1));

/** A channel of a gateway, with pages of a few messages. */
function reader(said: MessageView[]) {
  return {
    messages: async (
      _: string,
      { after, before = 'latest', limit }: { after?: string; before?: string | undefined; limit: number },
    ) => {
      const size = Math.min(limit, 3);
      if (after === undefined)
        return {
          messages: said.filter(({ id }) => before === 'latest' || Number(id) < Number(before)).slice(-size),
        };
      const behind = said.filter(({ id }) => Number(id) > Number(after));
      const messages = behind.slice(0, size);
      return behind.length > size ? { messages, next: 'more' } : { messages };
    },
  } as unknown as Parameters<MessagePlace['find']>[0];
}

async function seen(said: MessageView[], place = new MessagePlace()): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of place.unseen(reader(said), 'a')) texts.push(text);
  return texts;
}

it('reads page by page what was not shown, each message once (27.17)', async () => {
  const place = new MessagePlace();
  expect(await seen(upTo(8), place)).toHaveLength(8);
  expect(await seen(upTo(10), place)).toEqual(['9 at 9', '10 at 10']);
});

it('finds its place by the time in a restored database, however much was said there since (27.17)', async () => {
  for (const kept of [0, 1, 5, 9])
    for (const since of [0, 1, 4, 12]) {
      const place = new MessagePlace();
      await seen(upTo(10), place);
      const fresh = Array.from({ length: since }, (_, index) => message(kept + index + 1, 100 + index));
      const restored = [...upTo(kept), ...fresh];
      expect(await place.find(reader(restored), 'a')).toBe(true);
      expect(await seen(restored, place)).toEqual(fresh.map(({ text }) => text));
    }
});

it('stays where it is when the messages are the same, and when only older ones were removed', async () => {
  const place = new MessagePlace();
  expect(await place.find(reader([]), 'a')).toBe(false);
  await seen(upTo(10), place);
  const later = [...upTo(10).slice(6), message(11, 11)];
  expect(await place.find(reader(later), 'a')).toBe(false);
  expect(await seen(later, place)).toEqual(['11 at 11']);
});

it('goes on behind what RETENTION_DAYS has removed', async () => {
  const place = new MessagePlace();
  await seen(upTo(10), place);
  const later = [message(15, 20), message(16, 21)];
  await place.find(reader(later), 'a');
  expect(await seen(later, place)).toEqual(['15 at 20', '16 at 21']);
});
