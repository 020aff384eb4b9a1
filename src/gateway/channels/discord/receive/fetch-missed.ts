import type { DiscordPlace } from '../../../../store/discord/places.js';
import type { DiscordApi } from '../discord-api.js';
import type { DiscordMessage } from './read-message.js';
import { idAt, isNewer } from './snowflake.js';

export interface MissedLimits {
  readonly maxAgeMs: number;
  /** Of one channel. Of more, the newest are taken. */
  readonly maxCount: number;
}

export const defaultMissedLimits: MissedLimits = { maxAgeMs: 24 * 3_600_000, maxCount: 100 };

const pageSize = 100;
/** Most messages of a busy channel are not for the bot: some more are looked through than are kept. */
const maxPages = 10;

/** The messages behind the newest that was seen, oldest first. */
export async function fetchMissed(
  api: Pick<DiscordApi, 'messages'>,
  { channelId, seen }: DiscordPlace,
  { maxAgeMs, maxCount }: MissedLimits,
  now: number,
): Promise<{ readonly messages: readonly DiscordMessage[]; readonly leftOut: number }> {
  const oldest = idAt(now - maxAgeMs);
  let after = isNewer(oldest, seen) ? oldest : seen;
  const found: DiscordMessage[] = [];
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messages(channelId, { after, limit: pageSize });
    found.push(...(messages as readonly DiscordMessage[]));
    after = messages.at(-1)?.id ?? after;
    if (messages.length < pageSize) break;
  }
  return { messages: found.slice(-maxCount), leftOut: Math.max(0, found.length - maxCount) };
}
