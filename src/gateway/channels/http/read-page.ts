import type { StoredMessage } from '../../../store/rows.js';
import type { GatewayFace } from '../types.js';
import type { MessagesPage } from './check-parameters.js';

/** A page of a conversation, oldest first, with where the next one, or the one in front of it, begins. */
interface ReadPage {
  readonly messages: readonly StoredMessage[];
  readonly next?: string;
  readonly previous?: string;
}

/** A page ends early after so much text: 500 of the longest messages don't fit into one answer. */
const maxPageCharacters = 4 * 1024 * 1024;
const readAtOnce = 25;

export function readPage(gateway: GatewayFace, channel: string, page: MessagesPage): Promise<ReadPage> {
  return 'before' in page ? readBackwards(gateway, channel, page) : readForwards(gateway, channel, page);
}

async function readForwards(
  gateway: GatewayFace,
  channel: string,
  { limit, after = 0 }: { readonly limit: number; readonly after?: number },
): Promise<ReadPage> {
  const messages: StoredMessage[] = [];
  let last = after;
  let characters = 0;
  for (;;) {
    // A message beyond the limit tells that there are more.
    const asked = Math.min(readAtOnce, limit + 1 - messages.length);
    const some = await gateway.messages(channel, { after: last, limit: asked });
    for (const message of some) {
      if (messages.length >= limit || characters >= maxPageCharacters)
        return { messages, next: String(last) };
      messages.push(message);
      characters += message.text.length;
      last = message.id;
    }
    if (some.length < asked) return { messages };
  }
}

async function readBackwards(
  gateway: GatewayFace,
  channel: string,
  {
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }: { readonly limit: number; readonly before: number | undefined },
): Promise<ReadPage> {
  const newestFirst: StoredMessage[] = [];
  let first = before;
  let characters = 0;
  for (;;) {
    const asked = Math.min(readAtOnce, limit + 1 - newestFirst.length);
    const some = await gateway.messages(channel, { before: first, limit: asked });
    for (const message of some.toReversed()) {
      if (newestFirst.length >= limit || characters >= maxPageCharacters)
        return { messages: newestFirst.reverse(), previous: String(first) };
      newestFirst.push(message);
      characters += message.text.length;
      first = message.id;
    }
    if (some.length < asked) return { messages: newestFirst.reverse() };
  }
}
