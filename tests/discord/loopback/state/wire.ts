import { ordinaryPermissions, permissionBits } from './permissions.js';
import {
  type Channel,
  channelTypes,
  type Guild,
  type Json,
  type Message,
  messageTypes,
  type User,
  type World,
} from './world.js';

/** The objects of the world as Discord writes them. */
export class Wire {
  constructor(
    readonly world: World,
    private readonly origin: () => string,
  ) {}

  user(user: User): Json {
    return {
      id: user.id,
      username: user.name,
      global_name: user.bot ? null : user.name,
      discriminator: user.bot ? '0001' : '0',
      avatar: null,
      bot: user.bot,
      flags: 0,
      public_flags: 0,
    };
  }

  member(guild: Guild, userId: string): Json {
    return {
      roles: guild.members.get(userId) ?? [],
      nick: null,
      avatar: null,
      joined_at: '2024-01-01T00:00:00.000000+00:00',
      premium_since: null,
      deaf: false,
      mute: false,
      flags: 0,
      pending: false,
    };
  }

  memberWithUser(guild: Guild, userId: string): Json {
    return { ...this.member(guild, userId), user: this.user(this.world.user(userId)) };
  }

  roles(guild: Guild): Json[] {
    return guild.roles.map((role, position) => ({
      id: role.id,
      name: role.name,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      position,
      permissions: role.id === guild.id ? permissionBits(ordinaryPermissions) : '0',
      managed: role.botId !== undefined,
      ...(role.botId === undefined ? {} : { tags: { bot_id: role.botId } }),
      mentionable: true,
      flags: 0,
    }));
  }

  guild(guild: Guild): Json {
    const channels = [...this.world.channels.values()].filter(({ guildId }) => guildId === guild.id);
    return {
      id: guild.id,
      name: guild.name,
      icon: null,
      owner_id: guild.ownerId,
      roles: this.roles(guild),
      emojis: [],
      stickers: [],
      features: [],
      mfa_level: 0,
      verification_level: 0,
      default_message_notifications: 0,
      explicit_content_filter: 0,
      afk_channel_id: null,
      afk_timeout: 300,
      application_id: null,
      system_channel_id: null,
      system_channel_flags: 0,
      rules_channel_id: null,
      public_updates_channel_id: null,
      safety_alerts_channel_id: null,
      vanity_url_code: null,
      description: null,
      banner: null,
      premium_tier: 0,
      preferred_locale: 'en-US',
      nsfw_level: 0,
      premium_progress_bar_enabled: false,
      joined_at: '2024-01-01T00:00:00.000000+00:00',
      large: false,
      unavailable: false,
      member_count: guild.members.size,
      voice_states: [],
      // As without the privileged intent for members: only the bot itself.
      members: [this.memberWithUser(guild, this.world.bot.id)],
      channels: channels
        .filter(({ type }) => type !== channelTypes.thread)
        .map((channel) => this.channel(channel)),
      threads: channels
        .filter(({ type, archived }) => type === channelTypes.thread && !archived)
        .map((channel) => this.channel(channel)),
      presences: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    };
  }

  channel(channel: Channel): Json {
    const { id, type, name } = channel;
    const last = this.world.everSaid(id).at(-1)?.id ?? null;
    if (type === channelTypes.dm) {
      return {
        id,
        type,
        last_message_id: last,
        recipients: [this.user(this.world.user(channel.recipientId ?? ''))],
      };
    }
    const base = { id, type, name, guild_id: channel.guildId, parent_id: channel.parentId ?? null };
    if (type === channelTypes.thread) return { ...base, ...this.#thread(channel), last_message_id: last };
    return {
      ...base,
      last_message_id: last,
      position: 0,
      topic: null,
      nsfw: false,
      rate_limit_per_user: 0,
      permission_overwrites: this.#overwrites(channel),
    };
  }

  message(message: Message): Json {
    const { world } = this;
    const { referenceId: reference } = message;
    const home = this.#homeOfReference(message);
    const referenced = reference === undefined ? undefined : world.message(home, reference);
    return {
      id: message.id,
      channel_id: message.channelId,
      author: this.user(world.user(message.authorId)),
      content: message.content,
      timestamp: new Date(message.createdAt).toISOString(),
      edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
      tts: false,
      mention_everyone: message.pinged.includes('everyone') || message.pinged.includes('here'),
      mentions: message.mentioned.filter((id) => world.users.has(id)).map((id) => this.user(world.user(id))),
      mention_roles: message.mentioned.filter((id) => !world.users.has(id)),
      attachments: this.#attachments(message),
      embeds: message.embeds,
      components: message.components,
      pinned: false,
      type: message.type,
      flags: message.flags,
      ...(reference === undefined
        ? {}
        : {
            message_reference: { type: 0, message_id: reference, channel_id: home },
            referenced_message: referenced
              ? { ...this.message(referenced), referenced_message: undefined }
              : null,
          }),
      ...(message.threadId === undefined ? {} : { thread: this.#threadOf(message.threadId) }),
      ...message.more,
    };
  }

  /** The first message of a thread refers to the one that the thread hangs on. All others stay within their channel. */
  #homeOfReference({ type, channelId }: Message): string {
    const parentId = this.world.channels.get(channelId)?.parentId;
    return type === messageTypes.threadStarter && parentId !== undefined ? parentId : channelId;
  }

  /** Where the CDN has a file. Like Discord's, the address is signed and expires after a day. */
  #attachments(message: Message): Json[] {
    const expires = Math.floor(this.world.clock.now() / 1000) + 24 * 3600;
    return message.attachments.map(({ id, filename, bytes, contentType, declaredSize }) => {
      const path = `attachments/${message.channelId}/${id}/${encodeURIComponent(filename)}`;
      const url = `${this.origin()}/${path}?ex=${expires.toString(16)}`;
      const size = declaredSize ?? bytes.byteLength;
      return {
        id,
        filename,
        size,
        url,
        proxy_url: url,
        ...(contentType ? { content_type: contentType } : {}),
      };
    });
  }

  #threadOf(id: string): Json | undefined {
    const thread = this.world.channels.get(id);
    return thread && this.channel(thread);
  }

  #thread(channel: Channel): Json {
    return {
      owner_id: channel.ownerId,
      message_count: this.world.messagesOf(channel.id).length,
      member_count: 1,
      rate_limit_per_user: 0,
      thread_metadata: {
        archived: channel.archived,
        auto_archive_duration: 1440,
        archive_timestamp: '2024-01-01T00:00:00.000000+00:00',
        locked: false,
      },
    };
  }

  #overwrites({ permissions }: Channel): Json[] {
    const allow = [...permissions].filter((permission) => !ordinaryPermissions.includes(permission));
    const deny = ordinaryPermissions.filter((permission) => !permissions.has(permission));
    if (allow.length + deny.length === 0) return [];
    return [{ id: this.world.bot.id, type: 1, allow: permissionBits(allow), deny: permissionBits(deny) }];
  }
}
