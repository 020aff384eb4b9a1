import type { Log } from '../../../../config/log.js';
import { late, within } from '../../../../core/wait.js';
import type { DiscordApi } from '../discord-api.js';
import type { Known } from '../types.js';
import { channelOf } from '../types.js';
import type { FoundPlace } from './find-place.js';
import { isAddressed } from './is-for-us.js';
import type { Person } from './message-context.js';
import { type DiscordMessage, readOther } from './read-message.js';
import type { Bot } from './readable-text.js';

export interface SaidBefore {
  readonly author: Person;
  readonly text: string;
}

export interface TalkParts {
  readonly api: Pick<DiscordApi, 'messages'>;
  readonly known: Known;
  readonly log: Log;
  /** So many messages at most; 0 for none. */
  readonly contextMessages: number;
}

/** Of all that is passed on together. */
const mostCharacters = 4000;
const longestMessage = 1000;
const longestWaitMs = 5000;

/**
 * What people have said in a channel since the bot's last message there, oldest first: whoever mentions the bot in the middle of a
 * conversation means that. Where everything is for the bot, it knows all of it. Never rejects: without the talk the message counts.
 */
export async function talkBefore(
  { api, known, log, contextMessages }: TalkParts,
  message: DiscordMessage,
  { channelId, guildId, isOurs }: FoundPlace,
  bot: Bot,
): Promise<readonly SaidBefore[]> {
  if (contextMessages === 0 || guildId === undefined || isOurs) return [];
  try {
    const page = { before: message.id, limit: contextMessages };
    const before = await within(longestWaitMs, api.messages(channelId, page));
    if (before === late) throw new Error(`Discord has not answered within ${longestWaitMs} ms.`);
    const last = before.findIndex(({ author }) => author.id === bot.id);
    // What was for the bot it has got; what the message answers is shown as that.
    const others = before
      .slice(0, last === -1 ? undefined : last)
      .filter((one) => isTalk(one.type) && !isAddressed(one, bot))
      .filter(({ id }) => id !== message.referenced_message?.id);
    return newest(others.map((one) => readOther(one, known, guildId)).filter(({ text }) => text !== ''));
  } catch (error) {
    log.info('what was said before a message on Discord could not be read', {
      channel: channelOf(channelId),
      discordMessage: message.id,
      error,
    });
    return [];
  }
}

/** Messages and replies; all others are the system's. */
function isTalk(type: number): boolean {
  return type === 0 || type === 19;
}

/** `said` is newest first. */
function newest(said: readonly SaidBefore[]): readonly SaidBefore[] {
  const kept: SaidBefore[] = [];
  let room = mostCharacters;
  for (const { author, text } of said) {
    const cut = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
    room -= cut.length;
    if (room < 0) break;
    kept.unshift({ author, text: cut });
  }
  return kept;
}
