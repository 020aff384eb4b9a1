import type { APIChannel } from 'discord.js';
import { type DiscordApi, DiscordProblem } from '../discord-api.js';
import type { Known, KnownChannel, Place } from '../types.js';

export interface FoundPlace extends Place {
  /** What is said there is for the bot, also without a mention: it is a DM, or a thread that began with the bot. */
  readonly isOurs: boolean;
}

/** A place is told apart once: whom it belongs to does not change. */
const remembered = 5000;

/** Says where a message stands, and asks Discord only about what is not known. */
export class PlaceFinder {
  readonly #api: Pick<DiscordApi, 'channel' | 'messages'>;
  readonly #known: Pick<Known, 'channel'>;
  readonly #ownThreads = new Map<string, boolean>();
  /** Those that Discord was asked about: direct messages and archived threads. */
  readonly #asked = new Map<string, KnownChannel>();

  constructor(api: Pick<DiscordApi, 'channel' | 'messages'>, known: Pick<Known, 'channel'>) {
    this.#api = api;
    this.#known = known;
  }

  async find(channelId: string, botId: string): Promise<FoundPlace> {
    const { guildId, thread } = this.#known.channel(channelId) ?? (await this.#ask(channelId));
    if (guildId === undefined) return { channelId, isOurs: true };
    if (thread === undefined) return { channelId, guildId, isOurs: false };
    const { parentId } = thread;
    const isOurs = thread.ownerId === botId || (await this.#hangsOnOurs(channelId, parentId, botId));
    return { channelId, guildId, parentId, isOurs };
  }

  async #ask(channelId: string): Promise<KnownChannel> {
    const before = this.#asked.get(channelId);
    if (before !== undefined) return before;
    const channel = toKnown(await this.#api.channel(channelId));
    if (this.#asked.size >= remembered) this.#asked.clear();
    this.#asked.set(channelId, channel);
    return channel;
  }

  /** A thread that was started from a message has the id of the message. */
  async #hangsOnOurs(threadId: string, parentId: string | undefined, botId: string): Promise<boolean> {
    if (parentId === undefined) return false;
    const before = this.#ownThreads.get(threadId);
    if (before !== undefined) return before;
    const after = String(BigInt(threadId) - 1n);
    const [first] = await this.#api.messages(parentId, { after, limit: 1 }).catch((error: unknown) => {
      // In a forum there are no messages but in threads, and a channel may be closed to the bot but for this thread.
      if (error instanceof DiscordProblem && error.code !== undefined) return [];
      throw error;
    });
    const isOurs = first?.id === threadId && first.author.id === botId;
    if (this.#ownThreads.size >= remembered) this.#ownThreads.clear();
    this.#ownThreads.set(threadId, isOurs);
    return isOurs;
  }
}

const threadTypes: readonly number[] = [10, 11, 12];

function toKnown(channel: APIChannel): KnownChannel {
  const { guild_id: guildId, parent_id: parentId, owner_id: ownerId } = channel as LooseChannel;
  return {
    name: channel.name ?? undefined,
    guildId,
    thread: threadTypes.includes(channel.type) ? { parentId: parentId ?? undefined, ownerId } : undefined,
  };
}

interface LooseChannel {
  readonly guild_id?: string;
  readonly parent_id?: string | null;
  readonly owner_id?: string;
}
