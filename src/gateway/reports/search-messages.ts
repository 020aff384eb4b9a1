import { setImmediate as nextLoop } from 'node:timers/promises';
import { interruptedError } from '../../core/errors.js';
import { oneLine } from '../../core/text.js';
import type { Store } from '../../store/store.js';

export interface SearchOptions {
  /** The newest so many messages are looked at. */
  readonly messages: number;
  /** The beginning of a message that is looked at. */
  readonly charactersEach: number;
  readonly characters: number;
  /** Nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
}

const defaultLimits: SearchOptions = {
  messages: 20_000,
  charactersEach: 64 * 1024,
  characters: 64 * 1024 * 1024,
};

/** Reading so much takes a few milliseconds: then everything else gets its turn. */
const charactersAtOnce = 512 * 1024;
const mostAtOnce = 500;

/**
 * Looks for a text in the newest messages, whatever the case of its letters. Returns the channels that have it, each with the
 * words around the newest place; a channel whose title or name has it comes without words if no message does. Rejects with
 * `interrupted` over the signal.
 */
export async function searchMessages(
  store: Store,
  search: string,
  maxChannels: number,
  options: Partial<SearchOptions> = {},
): Promise<ReadonlyMap<string, string | undefined>> {
  const { messages, charactersEach, characters, signal } = { ...defaultLimits, ...options };
  const wanted = search.toLowerCase();
  const names = await store.channelNames();
  const titled = names.filter(({ title }) => title?.toLowerCase().includes(wanted));
  const found = new Map<string, string | undefined>(
    titled.slice(0, maxChannels).map(({ channel }) => [channel, undefined]),
  );
  let before: number | undefined;
  let looked = 0;
  let read = 0;
  let atOnce = 50;
  while (looked < messages && read < characters && found.size < maxChannels) {
    const limit = Math.min(atOnce, messages - looked);
    const some = await store.newestMessages({ before, limit, maxCharacters: charactersEach });
    for (const { channel, text } of some) {
      if (found.get(channel) !== undefined) continue;
      if (found.size >= maxChannels && !found.has(channel)) continue;
      const place = findIn(text, wanted);
      if (place !== undefined) found.set(channel, place);
    }
    const size = some.reduce((sum, { text }) => sum + text.length, 0);
    looked += some.length;
    read += size;
    before = some.at(-1)?.id;
    if (some.length < limit) break;
    atOnce = fitting(size / some.length);
    await nextLoop();
    if (signal?.aborted) throw interruptedError();
  }
  for (const { channel } of names) {
    if (found.size >= maxChannels) break;
    if (!found.has(channel) && channel.toLowerCase().includes(wanted)) found.set(channel, undefined);
  }
  return found;
}

/** The number of messages of this average length that are read at once. */
function fitting(average: number): number {
  return Math.max(1, Math.min(mostAtOnce, Math.floor(charactersAtOnce / Math.max(1, average))));
}

const around = 60;

function findIn(text: string, wanted: string): string | undefined {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at < 0) return undefined;
  // A few letters change their length with their case (İ): then the places in both texts differ.
  const source = lower.length === text.length ? text : lower;
  const from = Math.max(0, at - around);
  const to = at + wanted.length + around;
  const words = source.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${from > 0 ? '…' : ''}${oneLine(words, to - from + 1)}${to < source.length ? '…' : ''}`;
}
