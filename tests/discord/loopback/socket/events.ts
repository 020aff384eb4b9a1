import type { Wire } from '../state/wire.js';
import {
  type Channel,
  channelTypes,
  type Guild,
  type Json,
  type Message,
  type World,
} from '../state/world.js';

export const intents = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  presences: 1 << 8,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const;

/** What happened, and what each session is told about it: nothing if its intents leave that out. */
export interface GatewayEvent {
  readonly type: string;
  dataFor(sessionIntents: number): Json | undefined;
}

/** The events that follow from changes of the world. */
export class Events {
  constructor(
    private readonly world: World,
    private readonly wire: Wire,
  ) {}

  messageCreated(message: Message): GatewayEvent {
    const data = {
      ...this.#message(message),
      ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    };
    return this.#aboutMessage('MESSAGE_CREATE', message, data);
  }

  messageUpdated(message: Message): GatewayEvent {
    return this.#aboutMessage('MESSAGE_UPDATE', message, this.#message(message));
  }

  messageDeleted({ id, channelId }: Message): GatewayEvent {
    return this.#deletion('MESSAGE_DELETE', channelId, { id });
  }

  messagesDeleted({ id }: Channel, messages: readonly Message[]): GatewayEvent {
    return this.#deletion('MESSAGE_DELETE_BULK', id, { ids: messages.map((message) => message.id) });
  }

  channel(type: 'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'CHANNEL_DELETE', channel: Channel): GatewayEvent {
    return forGuilds(type, this.wire.channel(channel));
  }

  thread(type: 'THREAD_CREATE' | 'THREAD_UPDATE' | 'THREAD_DELETE', channel: Channel): GatewayEvent {
    const created = type === 'THREAD_CREATE' ? { newly_created: true } : {};
    return forGuilds(type, { ...this.wire.channel(channel), ...created });
  }

  guild(type: 'GUILD_CREATE' | 'GUILD_DELETE', guild: Guild): GatewayEvent {
    return forGuilds(type, type === 'GUILD_CREATE' ? this.wire.guild(guild) : { id: guild.id });
  }

  /** Interactions come without any intent. */
  interaction(data: Json): GatewayEvent {
    return { type: 'INTERACTION_CREATE', dataFor: () => data };
  }

  #message(message: Message): Json {
    const channel = this.world.channels.get(message.channelId);
    const guild = channel?.guildId === undefined ? undefined : this.world.guilds.get(channel.guildId);
    return {
      ...this.wire.message(message),
      channel_type: channel?.type ?? channelTypes.text,
      ...(guild && { guild_id: guild.id }),
      ...(guild?.members.has(message.authorId) && { member: this.wire.member(guild, message.authorId) }),
    };
  }

  #deletion(type: string, channelId: string, ids: Json): GatewayEvent {
    const guildId = this.world.channels.get(channelId)?.guildId;
    const needed = guildId === undefined ? intents.directMessages : intents.guildMessages;
    const data = { ...ids, channel_id: channelId, ...(guildId === undefined ? {} : { guild_id: guildId }) };
    return { type, dataFor: (has) => ((has & needed) !== 0 && this.#visible(channelId) ? data : undefined) };
  }

  #aboutMessage(type: string, message: Message, data: Json): GatewayEvent {
    const isDirect = this.world.channels.get(message.channelId)?.type === channelTypes.dm;
    const needed = isDirect ? intents.directMessages : intents.guildMessages;
    const { bot } = this.world;
    const alwaysReadable = isDirect || message.authorId === bot.id || message.mentioned.includes(bot.id);
    return {
      type,
      dataFor: (has) => {
        if ((has & needed) === 0 || !this.#visible(message.channelId)) return undefined;
        return alwaysReadable || (has & intents.messageContent) !== 0 ? data : withoutContent(data);
      },
    };
  }

  #visible(channelId: string): boolean {
    const channel = this.world.channels.get(channelId);
    return channel !== undefined && this.world.permissionsIn(channel).has('ViewChannel');
  }
}

/** What a bot without the message-content intent sees of a message that isn't for it. */
export function withoutContent(data: Json): Json {
  return { ...data, content: '', attachments: [], embeds: [], components: [] };
}

function forGuilds(type: string, data: Json): GatewayEvent {
  return { type, dataFor: (has) => ((has & intents.guilds) !== 0 ? data : undefined) };
}
