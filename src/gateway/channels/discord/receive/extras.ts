import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import { oneLine, quoted } from '../../../../core/text.js';

/** The parts of a message beside its text. Those that are passed on come with fewer. */
export type WithExtras = Partial<Pick<APIMessage, 'attachments' | 'embeds' | 'poll' | 'sticker_items'>>;

const longestEmbed = 1500;

/** What there is in a message beside its text and its files, in words: the agent can't see it otherwise. */
export function extrasOf({
  attachments = [],
  embeds = [],
  poll,
  sticker_items: stickers = [],
}: WithExtras): readonly string[] {
  return [
    ...attachments.flatMap(voiceMessage),
    ...stickers.map(({ name }) => `[sticker ${quoted(name)}]`),
    ...(poll === undefined ? [] : [pollText(poll)]),
    ...embeds.flatMap(embedText),
  ];
}

/** Discord tells how long it is only of what was spoken into it. */
function voiceMessage({ filename, duration_secs: seconds }: APIAttachment): readonly string[] {
  if (seconds === undefined) return [];
  return [`[${quoted(filename)} is a voice message of ${Math.ceil(seconds)} s]`];
}

function pollText({
  question,
  answers,
  allow_multiselect: several,
}: NonNullable<APIMessage['poll']>): string {
  const choices = answers.map(({ poll_media: { text, emoji } }) => quoted(text ?? emoji?.name ?? ''));
  const how = several ? ', several may be chosen' : '';
  return `[poll ${quoted(question.text ?? '')} with the answers ${choices.join(', ')}${how}]`;
}

/** What other bots say is often nothing but an embed. The preview of a link is one, too. */
function embedText({
  title,
  url,
  author,
  description,
  fields = [],
  footer,
  image,
}: APIEmbed): readonly string[] {
  const words = [
    ...(author === undefined ? [] : [oneLine(author.name, 300)]),
    ...(description === undefined ? [] : [description]),
    ...fields.map(({ name, value }) => `${oneLine(name, 300)}: ${value}`),
    ...(footer === undefined ? [] : [oneLine(footer.text, 300)]),
  ].join('\n');
  const picture = image === undefined ? [] : [`[picture ${quoted(image.url, 500)}]`];
  if (title === undefined && words === '') return picture;
  const head = ['embed', ...(title ? [quoted(title, 300)] : []), ...(url ? [quoted(url, 500)] : [])];
  const cut = words.length > longestEmbed ? `${words.slice(0, longestEmbed)}…` : words;
  return [`[${head.join(' ')}]`, ...(cut === '' ? [] : [cut]), ...picture];
}
