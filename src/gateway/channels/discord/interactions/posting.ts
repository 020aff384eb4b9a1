import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
import { findPost } from './find-post.js';
import { channelPrefix, type InteractionParts, source } from './ports.js';
import { isFinal } from './problems.js';

// How posts are sent, changed and removed. What Discord refuses for good is left as it is.

export function idOf(channel: string): string {
  return channel.slice(channelPrefix.length);
}

/** After a crash between sending and writing it down, Discord gives the same message back. */
export function nonceOf(subject: string): { readonly nonce: string; readonly enforce_nonce: true } {
  return { nonce: createHash('sha256').update(subject).digest('hex').slice(0, 25), enforce_nonce: true };
}

export async function editPost(
  { api }: InteractionParts,
  { channel, messageId }: DiscordPost,
  content: string,
  components: object[] = [],
): Promise<void> {
  if (messageId === undefined) return;
  const body = { content, components: components as never, allowed_mentions: { parse: [] } };
  await api.edit(idOf(channel), messageId, body).catch((error: unknown) => {
    if (!isFinal(error)) throw error;
  });
}

/** The note of a post that is about to be sent: if it stays, the gateway has ended before it knew the message. */
export const sending = 'sending';

/** The message of a post, also of one that a former gateway has sent and could not note. */
export async function messageOf({ api }: InteractionParts, post: DiscordPost): Promise<string | undefined> {
  const { messageId, note, channel, subject: id, at: createdAt } = post;
  if (messageId !== undefined || note !== sending) return messageId;
  // However new it is: nothing is sent now that a nonce could belong to.
  return (await findPost(api, idOf(channel), { id, createdAt }, Number.POSITIVE_INFINITY))?.id;
}

/** Takes a note away, and forgets it. */
export async function removeNote(parts: InteractionParts, post: DiscordPost): Promise<void> {
  const { api, store } = parts;
  const messageId = await messageOf(parts, post);
  if (messageId !== undefined)
    await api.remove(idOf(post.channel), messageId).catch((error: unknown) => {
      if (!isFinal(error)) throw error;
    });
  await store.removeDiscordPost(post.type, post.subject);
}

/** The message that an event came with, to be replied to; of a slash command it is what everybody sees of it, if there is that. */
export async function replyTo(
  { store }: Pick<InteractionParts, 'store'>,
  { source: from, messageId }: Pick<StoredEvent, 'source' | 'messageId'>,
): Promise<{
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists: false };
}> {
  if (from !== source || messageId === undefined) return {};
  const command = await store.discordPost('command', messageId);
  const id = command === undefined ? messageId : command.messageId;
  return id === undefined ? {} : { message_reference: { message_id: id, fail_if_not_exists: false } };
}
