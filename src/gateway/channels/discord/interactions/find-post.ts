import type { APIMessage } from 'discord.js';
import type { DiscordApi } from '../discord-api.js';
import { idAt } from '../snowflake.js';

/** Younger than this, Discord knows the nonce for sure: see deliver.ts. */
const nonceTrustedMs = 60_000;
/** Our clock and Discord's may differ by that. */
const clockSkewMs = 5 * 60_000;
const pageSize = 100;
const maxPages = 10;

/**
 * A post with buttons that a former gateway has sent and could not note, by the subject that the ids of its buttons name. Undefined
 * if there is none, or the subject is so new that the nonce tells.
 */
export async function findPost(
  api: Pick<DiscordApi, 'messages'>,
  channelId: string,
  subject: { readonly id: string; readonly createdAt: number },
  now: number,
): Promise<APIMessage | undefined> {
  if (Math.abs(now - subject.createdAt) < nonceTrustedMs) return undefined;
  let after = idAt(subject.createdAt - clockSkewMs);
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messages(channelId, { after, limit: pageSize });
    const found = messages.find(({ components }) => JSON.stringify(components ?? []).includes(subject.id));
    if (found !== undefined || messages.length < pageSize) return found;
    after = messages.at(-1)?.id ?? after;
  }
  return undefined;
}
