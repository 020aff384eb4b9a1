import { isNewer } from '../snowflake.js';
import type { DiscordMessage } from './read-message.js';

/** Of one channel. The history has the others, where the bot may read it. */
const mostOfAChannel = 100;

/** Messages that came and could not be taken yet: where the bot may not read the history, nobody else has them. */
export class UntakenMessages {
  readonly #channels = new Map<string, Map<string, DiscordMessage>>();

  /** False if there are too many. */
  keep(message: DiscordMessage): boolean {
    const kept = this.#channels.get(message.channel_id) ?? new Map<string, DiscordMessage>();
    if (kept.size >= mostOfAChannel && !kept.has(message.id)) return false;
    this.#channels.set(message.channel_id, kept.set(message.id, message));
    return true;
  }

  /** Its author has edited it. */
  change(message: DiscordMessage): void {
    const before = this.#channels.get(message.channel_id)?.get(message.id);
    if (before !== undefined) this.keep({ ...before, ...message });
  }

  forget(channelId: string, id: string): void {
    const kept = this.#channels.get(channelId);
    kept?.delete(id);
    if (kept?.size === 0) this.#channels.delete(channelId);
  }

  /** These and the channel's messages of the history, oldest first. The history knows them better. */
  with(channelId: string, history: readonly DiscordMessage[]): readonly DiscordMessage[] {
    const all = new Map(this.#channels.get(channelId));
    for (const message of history) all.set(message.id, { ...all.get(message.id), ...message });
    return [...all.values()].sort((one, other) => (isNewer(one.id, other.id) ? 1 : -1));
  }
}
