import type { APIMessage } from 'discord.js';
import { silent, withoutPreviews } from '../discord-api.js';
import type { Bot } from './readable-text.js';

/** Discord's numbers of messages that people write: by themselves, and as a reply. All others are the system's. */
const written: readonly number[] = [0, 19];

/** True if a person has written it. Bots that answer each other would never stop. */
export function isWritten({ type, author, webhook_id }: APIMessage, bot: Bot): boolean {
  return written.includes(type) && author.bot !== true && author.id !== bot.id && webhook_id === undefined;
}

/** True if it speaks to the bot wherever it stands: by a mention, or as a reply. `@everyone` and other roles don't. */
export function isAddressed(message: APIMessage, bot: Bot): boolean {
  const { mentions, mention_roles: roles, referenced_message: answered, message_reference } = message;
  // A message that is passed on refers to it as well.
  const isReply = message_reference?.type !== 1 && answered?.author.id === bot.id;
  return (
    isReply ||
    mentions.some(({ id }) => id === bot.id) ||
    (bot.roleId !== undefined && roles.includes(bot.roleId))
  );
}

/** The message that one of the bot's answers: one that is neither a notice, nor a question, nor progress. */
export function answeredBy(message: APIMessage, botId: string | undefined): string | undefined {
  const { author, flags = 0, components = [], message_reference: reference } = message;
  const isNotice = (Number(flags) & (silent | withoutPreviews)) !== 0 || components.length > 0;
  return author.id === botId && !isNotice ? reference?.message_id : undefined;
}
