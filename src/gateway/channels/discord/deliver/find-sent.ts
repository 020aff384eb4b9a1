import type { APIMessage } from 'discord.js';
import type { DiscordPiece } from '../../../../store/discord/pieces.js';
import type { DiscordApi } from '../discord-api.js';
import { idAt } from '../snowflake.js';

/** Our clock and Discord's may differ by that. */
const clockSkewMs = 5 * 60_000;
const dayMs = 86_400_000;
const pageSize = 100;
const maxPages = 10;

export interface Search {
  readonly channelId: string;
  readonly botId: string;
  /** Messages of the channel that are older than what is looked for. */
  readonly after: readonly (string | undefined)[];
  readonly now: number;
}

/**
 * Looks in the channel's history for a piece that may have been sent. Discord keeps no nonces there: it is the bot's own message
 * with the same text and files, behind those that were sent before it.
 */
export async function findSent(
  api: DiscordApi,
  piece: DiscordPiece,
  search: Search,
): Promise<string | undefined> {
  const older = newest(search.after);
  const byClock = newest([idAt(triedAt(piece, search.now) - clockSkewMs), older]);
  const found = await findBehind(api, piece, search, byClock);
  // Our clock may have been ahead when it was tried: messages that are surely older are the better beginning, but may be far back.
  if (found !== undefined || byClock === older || older === '0') return found;
  return findBehind(api, piece, search, older);
}

/** A time that is still to come was told by a wrong clock. */
function triedAt({ firstTriedAt = 0 }: DiscordPiece, now: number): number {
  return firstTriedAt <= now ? firstTriedAt : now - dayMs;
}

async function findBehind(
  api: DiscordApi,
  piece: DiscordPiece,
  search: Search,
  begin: string,
): Promise<string | undefined> {
  let after = begin;
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messages(search.channelId, { after, limit: pageSize });
    const found = messages.find((message) => message.author.id === search.botId && isSame(message, piece));
    if (found !== undefined) return found.id;
    if (messages.length < pageSize) return undefined;
    after = newest(messages.map(({ id }) => id));
  }
  return undefined;
}

function isSame(message: APIMessage, { nonce, text, files = [] }: DiscordPiece): boolean {
  if (message.nonce !== undefined) return String(message.nonce) === nonce;
  return message.content === text.trim() && message.attachments.length === files.length;
}

function newest(ids: readonly (string | undefined)[]): string {
  const numbers = ids.map((id) => (id !== undefined && /^\d{1,20}$/.test(id) ? BigInt(id) : 0n));
  return String(numbers.reduce((one, other) => (one > other ? one : other), 0n));
}
