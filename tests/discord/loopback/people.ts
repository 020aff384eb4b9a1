import type { Interaction } from './interactions.js';
import { readMentions } from './limits/mentions.js';
import type { Parts } from './parts.js';
import { blankMessage, deleteMessage, postMessage } from './send-message.js';
import { permissionBits } from './state/permissions.js';
import {
  type Attachment,
  type Channel,
  channelTypes,
  type Guild,
  type Json,
  type Message,
  messageTypes,
  type User,
} from './state/world.js';
import { buttonsOf } from './visible-messages.js';

export interface Joining {
  /** Ids of roles. */
  readonly roles?: readonly string[];
  readonly bot?: boolean;
  readonly guild?: Guild;
}

export interface Writing {
  readonly replyTo?: Message;
  readonly files?: readonly WrittenFile[];
  /** Discord's number of it, for messages of the system: 7 if somebody has joined. */
  readonly type?: number;
  /** What else is in it, as Discord writes it. */
  readonly more?: Json;
}

export interface WrittenFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
  /** What Discord says about its size, if that is not the truth. */
  readonly declaredSize?: number;
}

/** What people do on Discord. */
export class People {
  constructor(
    private readonly parts: Parts,
    private readonly home: Guild,
  ) {}

  /** Somebody new, who joins the guild. */
  join(name: string, { roles = [], bot = false, guild = this.home }: Joining = {}): User {
    const user = this.parts.world.addUser(name, bot);
    guild.members.set(user.id, [...roles]);
    return user;
  }

  write(
    author: User,
    channel: Channel,
    content: string,
    { replyTo, files = [], type, more }: Writing = {},
  ): Message {
    const { parts } = this;
    const message: Message = {
      ...blankMessage(parts, channel, author),
      type: type ?? (replyTo ? messageTypes.reply : messageTypes.ordinary),
      ...(replyTo && { referenceId: replyTo.id }),
      ...(more && { more }),
      content,
      attachments: files.map((file) => this.#attachment(file)),
      ...readMentions(content, undefined, replyTo?.authorId, parts.world),
    };
    postMessage(parts, message);
    return message;
  }

  /** Passes a message on: what it says comes along, its author does not. */
  forward(author: User, channel: Channel, message: Message): Message {
    const { content, embeds, attachments, timestamp, edited_timestamp, flags, mentions, mention_roles } =
      this.parts.wire.message(message);
    const known = {
      content,
      embeds,
      attachments,
      timestamp,
      edited_timestamp,
      flags,
      mentions,
      mention_roles,
    };
    const reference = { type: 1, message_id: message.id, channel_id: message.channelId };
    return this.write(author, channel, '', {
      more: {
        message_reference: reference,
        message_snapshots: [{ message: { type: message.type, ...known } }],
      },
    });
  }

  /** Writes to the bot alone. */
  writeDirectly(author: User, content: string, writing: Writing = {}): Message {
    return this.write(author, this.parts.world.dmWith(author), content, writing);
  }

  edit(message: Message, content: string): void {
    message.earlier.push(message.content);
    message.content = content;
    message.mentioned = readMentions(content, undefined, undefined, this.parts.world).mentioned;
    message.editedAt = this.parts.clock.now();
    this.parts.gateway.publish(this.parts.gateway.events.messageUpdated(message));
  }

  /** Nobody does this: Discord has looked at a link and shows a preview. It is an update without an edit. */
  showPreview(message: Message): void {
    message.embeds = [{ type: 'link', title: 'A page', url: 'https://example.org/' }];
    this.parts.gateway.publish(this.parts.gateway.events.messageUpdated(message));
  }

  /** Deletes any message, as moderators do. */
  delete(message: Message): void {
    deleteMessage(this.parts, message);
  }

  /** Deletes several messages of a channel at once: one event. */
  deleteMany(channel: Channel, messages: readonly Message[]): void {
    for (const message of messages) message.deleted = true;
    const { gateway } = this.parts;
    gateway.publish(gateway.events.messagesDeleted(channel, messages));
  }

  /** A thread that is started from a message has its id. */
  startThread(owner: User, parent: Channel, name: string, from?: Message): Channel {
    const { world, gateway } = this.parts;
    const place = { guildId: parent.guildId ?? '', parentId: parent.id, ownerId: owner.id };
    const thread = world.addChannel({ type: channelTypes.thread, name, ...place }, from?.id);
    if (from !== undefined) from.threadId = thread.id;
    gateway.publish(gateway.events.thread('THREAD_CREATE', thread));
    return thread;
  }

  /** Clicks the button with this label. */
  click(user: User, message: Message, label: string): Interaction {
    const button = buttonsOf(message).find((one) => one['label'] === label);
    if (message.deleted || !button)
      throw new Error(`Nobody sees a button "${label}" at message ${message.id}`);
    if (message.interaction?.ephemeral && message.interaction.userId !== user.id) {
      throw new Error(`${user.name} doesn't see message ${message.id}`);
    }
    if (button['disabled']) throw new Error(`The button "${label}" can't be clicked`);
    const channel = this.#channel(message.channelId);
    const data = { custom_id: button['custom_id'], component_type: button['type'] };
    return this.#interact(this.parts.interactions.add(user, channel, message), 3, data);
  }

  /** Runs a slash command that the bot has registered. */
  command(
    user: User,
    channel: Channel,
    name: string,
    options: Readonly<Record<string, unknown>> = {},
  ): Interaction {
    const { interactions } = this.parts;
    const known = [...interactions.commandsOf(undefined), ...interactions.commandsOf(channel.guildId)];
    const command = known.find((one) => one['name'] === name);
    if (!command) throw new Error(`There is no slash command /${name}`);
    const described = (command['options'] ?? []) as readonly Json[];
    const given = Object.entries(options).map(([option, value]) => {
      const type = described.find((one) => one['name'] === option)?.['type'];
      if (type === undefined) throw new Error(`The slash command /${name} has no option ${option}`);
      return { name: option, type, value };
    });
    const missing = described.find((one) => one['required'] && !(String(one['name']) in options));
    if (missing) throw new Error(`The slash command /${name} needs ${missing['name']}`);
    const data = { id: command['id'], name, type: 1, options: given };
    return this.#interact(interactions.add(user, channel), 2, data);
  }

  #interact(interaction: Interaction, type: number, data: Json): Interaction {
    const { world, wire, gateway } = this.parts;
    const { id, token, user, channel, clicked } = interaction;
    const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
    const person = guild
      ? { guild_id: guild.id, member: { ...wire.memberWithUser(guild, user.id), permissions: '0' } }
      : { user: wire.user(user) };
    const event = {
      id,
      application_id: world.bot.id,
      type,
      token,
      version: 1,
      data,
      channel_id: channel.id,
      channel: wire.channel(channel),
      ...person,
      ...(clicked && { message: wire.message(clicked) }),
      locale: 'en-US',
      app_permissions: guild ? permissionBits(world.permissionsIn(channel)) : '0',
      entitlements: [],
      authorizing_integration_owners: {},
      context: guild ? 0 : 1,
      attachment_size_limit: this.parts.maxUploadBytes,
    };
    gateway.publish(gateway.events.interaction(event));
    return interaction;
  }

  #attachment({ name, content, type, declaredSize }: WrittenFile): Attachment {
    return {
      id: this.parts.clock.nextId(),
      filename: name,
      bytes: typeof content === 'string' ? Buffer.from(content) : content,
      ...(type === undefined ? {} : { contentType: type }),
      ...(declaredSize === undefined ? {} : { declaredSize }),
    };
  }

  #channel(id: string): Channel {
    const channel = this.parts.world.channels.get(id);
    if (!channel) throw new Error(`There is no channel ${id}`);
    return channel;
  }
}
