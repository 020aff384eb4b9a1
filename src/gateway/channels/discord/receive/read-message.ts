import type { APIMessage, APIUser } from 'discord.js';
import { oneLine, quoted } from '../../../../core/text.js';
import type { Known, Speaker } from '../types.js';
import type { FileOrigin, SentAttachment } from './attachment-limits.js';
import { extrasOf, type WithExtras } from './extras.js';
import type { Person, QuotedMessage } from './message-context.js';
import { type Bot, type MentionNames, readableText } from './readable-text.js';

/** What a message says, without what Discord alone needs. */
export interface ReadMessage {
  readonly text: string;
  readonly author: Person;
  readonly quoted: readonly QuotedMessage[];
  /** Also of the messages that it answers or passes on. */
  readonly attachments: readonly SentAttachment[];
  /** What else there is in it, in words. */
  readonly extras: readonly string[];
}

/** Messages of events have the member with them; those of the history don't. */
export type DiscordMessage = APIMessage & {
  readonly guild_id?: string;
  readonly member?: { readonly nick?: string | null; readonly roles?: readonly string[] };
};

export function readMessage(
  message: DiscordMessage,
  bot: Bot,
  known: Known,
  guildId: string | undefined,
): ReadMessage {
  const readable = (one: Pick<APIMessage, 'content'> & Partial<Pick<APIMessage, 'mentions'>>, own: Bot) =>
    readableText(one.content, namesIn(one, known, guildId), own);
  const { referenced_message, message_snapshots = [] } = message;
  const forwarded = message_snapshots.map((one) => one.message);
  const own = readable(message, bot);
  // Whoever forgot the mention adds it in a reply to himself.
  const repeated =
    own === '' && referenced_message?.author.id === message.author.id ? referenced_message : undefined;
  const answered = repeated === undefined ? referenced_message : undefined;
  const quoted: QuotedMessage[] = [];
  if (answered)
    quoted.push({
      type: 'answered',
      author: answered.author.id === bot.id ? 'you' : personOf(answered.author),
      text: quotable(answered, readable(answered, nobody)),
    });
  for (const one of forwarded) quoted.push({ type: 'forwarded', text: quotable(one, readable(one, nobody)) });
  // The bot knows its own files.
  const answeredFiles = answered && answered.author.id !== bot.id ? sentWith(answered, 'answered') : [];
  return {
    text: repeated === undefined ? own : readable(repeated, bot),
    author: speakerOf(message),
    quoted,
    attachments: [
      ...[message, ...(repeated ? [repeated] : [])].flatMap((one) => sentWith(one, 'message')),
      ...answeredFiles,
      ...forwarded.flatMap((one) => sentWith(one, 'forwarded')),
    ],
    extras: [message, ...(repeated ? [repeated] : [])].flatMap(extrasOf),
  };
}

/** True if there is nothing in a message that an agent could work on. */
export function saysNothing({ text, quoted, attachments, extras }: ReadMessage): boolean {
  return text === '' && quoted.length + attachments.length + extras.length === 0;
}

/** A message that is not for the bot. Its text may be empty. */
export function readOther(
  message: DiscordMessage,
  known: Known,
  guildId: string | undefined,
): { readonly author: Person; readonly text: string } {
  const text = readableText(message.content, namesIn(message, known, guildId), nobody);
  return { author: personOf(message.author), text: quotable(message, text) };
}

function sentWith(
  { attachments }: Pick<APIMessage, 'attachments'>,
  origin: FileOrigin,
): readonly SentAttachment[] {
  return attachments.map((one) => ({
    origin,
    id: one.id,
    name: one.filename,
    url: one.url,
    size: one.size,
    contentType: one.content_type,
  }));
}

export function speakerOf({ author, member }: DiscordMessage): Speaker {
  const name = oneLine(member?.nick ?? '', 100) || personOf(author).name;
  return { id: author.id, name, roles: member?.roles ?? [] };
}

/** A quote keeps the mention of the bot: it is not spoken to there. */
const nobody: Bot = { id: '0' };

/** A message may be nothing but files, or what a bot shows. */
function quotable(message: WithExtras & Pick<APIMessage, 'attachments'>, text: string): string {
  const files = message.attachments.map(({ filename }) => `[file ${quoted(filename)}]`);
  return [...(text === '' ? [] : [text]), ...files, ...extrasOf(message)].join('\n');
}

function personOf({ id, global_name, username }: APIUser): Person {
  return { id, name: oneLine(global_name ?? '', 100) || oneLine(username, 100) || id };
}

function namesIn(
  { content, mentions = [] }: Pick<APIMessage, 'content'> & Partial<Pick<APIMessage, 'mentions'>>,
  known: Known,
  guildId: string | undefined,
): MentionNames {
  const idsOf = (mark: RegExp) => [...content.matchAll(mark)].flatMap(([, id]) => id ?? []);
  const named = (ids: readonly string[], name: (id: string) => string | undefined) =>
    new Map(
      ids.flatMap((id): [string, string][] => [[id, name(id) ?? '']]).filter(([, found]) => found !== ''),
    );
  return {
    users: new Map(mentions.map((user) => [user.id, personOf(user).name])),
    roles: named(idsOf(/<@&(\d{1,20})>/g), (id) =>
      guildId === undefined ? undefined : known.roleName(guildId, id),
    ),
    channels: named(idsOf(/<#(\d{1,20})>/g), (id) => known.channel(id)?.name),
  };
}
