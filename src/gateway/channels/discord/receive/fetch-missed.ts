import type { DiscordPlace } from '../../../../store/discord/places.js';
import type { DiscordApi } from '../discord-api.js';
import { idAt, isNewer } from '../snowflake.js';
import type { DiscordMessage } from './read-message.js';

export interface MissedLimits {
  readonly maxAgeMs: number;
  /** Of the messages of one channel that are for the bot. Of more, the newest are taken. */
  readonly maxCount: number;
  /** So many messages of one channel are looked through, whomever they are for: the newest. */
  readonly maxScan: number;
}

export const defaultMissedLimits: MissedLimits = {
  maxAgeMs: 24 * 3_600_000,
  maxCount: 100,
  maxScan: 5000,
};

export interface Missed {
  /** Those that are for the bot, oldest first. */
  readonly messages: readonly DiscordMessage[];
  /** The newest one that was looked at, whomever it is for. Undefined if there is none. */
  readonly newest?: string | undefined;
  /** The limit that older ones are over: some are known to be for the bot, or nobody has looked. */
  readonly leftOut?: 'count' | 'scan' | undefined;
}

export interface Search {
  readonly api: Pick<DiscordApi, 'messages'>;
  readonly place: DiscordPlace;
  readonly limits: MissedLimits;
  readonly now: number;
  isForUs(message: DiscordMessage): Promise<boolean>;
  readonly signal: AbortSignal;
}

const pageSize = 100;

/**
 * Looks for the messages behind the newest that was seen. Usually there are few, and one page has them all. Where there are more,
 * the search goes from the newest one back, so that a limit leaves out the oldest. No more is kept than is taken.
 */
export async function fetchMissed(search: Search): Promise<Missed> {
  const { api, place, limits, now, signal } = search;
  const { channelId, seen } = place;
  const oldest = idAt(now - limits.maxAgeMs);
  const after = isNewer(oldest, seen) ? oldest : seen;
  const first = await api.messages(channelId, { after, limit: pageSize });
  const early = await filter(search, first as readonly DiscordMessage[]);
  const bound = first.at(-1)?.id;
  if (bound === undefined || first.length < pageSize) return newestOf(early, limits, bound);

  const late: DiscordMessage[] = [];
  let newest: string | undefined;
  let before: string | undefined;
  for (let scanned = 0; ; scanned += pageSize) {
    signal.throwIfAborted();
    if (scanned >= limits.maxScan) return { messages: late.reverse(), newest, leftOut: 'scan' };
    const page = await api.messages(channelId, { ...(before && { before }), limit: pageSize });
    newest ??= page[0]?.id;
    const fresh = page.filter(({ id }) => isNewer(id, bound));
    late.push(...(await filter(search, fresh as readonly DiscordMessage[])));
    if (late.length > limits.maxCount) return newestOf(late.reverse(), limits, newest);
    before = page.at(-1)?.id;
    if (fresh.length < pageSize) return newestOf([...early, ...late.reverse()], limits, newest ?? bound);
  }
}

export function explainLeftOut(limit: 'count' | 'scan', { maxCount, maxScan }: MissedLimits): string {
  return limit === 'count'
    ? `too many messages for the bot came meanwhile on Discord: only the newest ${maxCount} are answered`
    : `too many messages came meanwhile on Discord: only the newest ${maxScan} were looked through`;
}

async function filter(
  { isForUs }: Search,
  messages: readonly DiscordMessage[],
): Promise<readonly DiscordMessage[]> {
  const found: DiscordMessage[] = [];
  for (const message of messages) if (await isForUs(message)) found.push(message);
  return found;
}

function newestOf(
  found: readonly DiscordMessage[],
  { maxCount }: MissedLimits,
  newest: string | undefined,
): Missed {
  const leftOut = found.length > maxCount ? 'count' : undefined;
  return { messages: found.slice(-maxCount), newest, leftOut };
}
