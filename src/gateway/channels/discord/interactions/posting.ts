import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
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

/** Takes a note away, and forgets it. */
export async function removeNote({ api, store }: InteractionParts, post: DiscordPost): Promise<void> {
  if (post.messageId !== undefined)
    await api.remove(idOf(post.channel), post.messageId).catch((error: unknown) => {
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
