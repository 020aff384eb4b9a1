import type { DiscordMessage } from './read-message.js';

/** Nobody edits or deletes more in a channel while its messages are taken. */
const mostOfAChannel = 1000;

/** What people have changed in messages that are being taken: these are on disk only when their files are loaded, for example. */
export class LateChanges {
  readonly #channels = new Map<string, Map<string, DiscordMessage | 'deleted'>>();

  note(channelId: string, messageId: string, change: DiscordMessage | 'deleted'): void {
    const changes = this.#channels.get(channelId) ?? new Map<string, DiscordMessage | 'deleted'>();
    this.#channels.set(channelId, changes);
    const [oldest] = changes.keys();
    if (changes.size >= mostOfAChannel && oldest !== undefined) changes.delete(oldest);
    changes.set(messageId, change);
  }

  /** The message as it is now: the same object if nothing has changed, undefined if it was deleted. */
  newest(message: DiscordMessage): DiscordMessage | undefined {
    const change = this.#channels.get(message.channel_id)?.get(message.id);
    if (change === 'deleted') return undefined;
    const isNew = change !== undefined && change.edited_timestamp !== message.edited_timestamp;
    return isNew ? { ...message, ...change } : message;
  }

  forget(channelId: string): void {
    this.#channels.delete(channelId);
  }
}
