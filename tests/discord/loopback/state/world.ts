import type { MovableClock } from './clock.js';
import { ordinaryPermissions, type Permission } from './permissions.js';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** The bot can't write to this person: 50007. */
  dmClosed: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  /** The bot for which Discord has made it. */
  readonly botId?: string;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly roles: Role[];
  /** Users with the ids of their roles. */
  readonly members: Map<string, string[]>;
}

export const channelTypes = { text: 0, dm: 1, thread: 11 } as const;

export interface Channel {
  readonly id: string;
  readonly type: (typeof channelTypes)[keyof typeof channelTypes];
  name: string;
  readonly guildId?: string;
  readonly parentId?: string;
  /** Who has started the thread. */
  readonly ownerId?: string;
  /** The person of a DM. */
  readonly recipientId?: string;
  /** The bot's. A thread has those of its parent. */
  readonly permissions: Set<Permission>;
  archived: boolean;
}

export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string;
  /** What Discord says about its size, if that is not the truth. */
  readonly declaredSize?: number;
}

export interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly createdAt: number;
  readonly type: number;
  readonly referenceId?: string;
  /** Discord doesn't store it: it is in the answer to the sender and in MESSAGE_CREATE, never in the history. */
  readonly nonce?: string | number;
  /** Set if it answers an interaction. */
  readonly interaction?: { readonly id: string; readonly userId: string; readonly ephemeral: boolean };
  content: string;
  editedAt?: number;
  embeds: readonly Json[];
  components: readonly Json[];
  attachments: readonly Attachment[];
  flags: number;
  threadId?: string;
  deleted: boolean;
  /** Whose attention it has drawn: ids of users and roles, `everyone` or `here`. */
  readonly pinged: readonly string[];
  mentioned: readonly string[];
  /** What it said before each edit, oldest first. */
  readonly earlier: string[];
  /** What else is in it, as Discord writes it: a poll, stickers, messages that are passed on. */
  readonly more?: Json;
}

export const messageTypes = { ordinary: 0, reply: 19, command: 20, threadStarter: 21 } as const;

export type Json = Readonly<Record<string, unknown>>;

/** Everything that there is on the loopback Discord: guilds, channels, people and what they have written. */
export class World {
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly #messages = new Map<string, Message[]>();
  readonly bot: User;

  constructor(readonly clock: MovableClock) {
    this.bot = this.addUser('turnout-bot', true);
  }

  addUser(name: string, bot = false): User {
    const user = { id: this.clock.nextId(), name, bot, dmClosed: false };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string): Guild {
    const id = this.clock.nextId();
    const owner = this.addUser(`${name}-owner`);
    const members = new Map([this.bot, owner].map((user) => [user.id, []]));
    // The role of everybody has the guild's id.
    const guild = { id, name, ownerId: owner.id, roles: [{ id, name: '@everyone' }], members };
    this.guilds.set(id, guild);
    return guild;
  }

  addChannel(channel: Omit<Channel, 'id' | 'permissions' | 'archived'>, id = this.clock.nextId()): Channel {
    const added = { ...channel, id, permissions: new Set(ordinaryPermissions), archived: false };
    this.channels.set(id, added);
    return added;
  }

  /** The DM of the bot with somebody: always the same. */
  dmWith(user: User): Channel {
    const open = [...this.channels.values()].find(({ recipientId }) => recipientId === user.id);
    return open ?? this.addChannel({ type: channelTypes.dm, name: user.name, recipientId: user.id });
  }

  addMessage(message: Message): void {
    const said = this.#messages.get(message.channelId);
    if (said) said.push(message);
    else this.#messages.set(message.channelId, [message]);
  }

  /** Oldest first, without deleted ones. */
  messagesOf(channelId: string): Message[] {
    return this.everSaid(channelId).filter(({ deleted }) => !deleted);
  }

  everSaid(channelId: string): readonly Message[] {
    return this.#messages.get(channelId) ?? [];
  }

  message(channelId: string, id: string): Message | undefined {
    return this.everSaid(channelId).find((message) => message.id === id && !message.deleted);
  }

  permissionsIn(channel: Channel): ReadonlySet<Permission> {
    const parent = channel.parentId === undefined ? undefined : this.channels.get(channel.parentId);
    return (parent ?? channel).permissions;
  }

  user(id: string): User {
    const user = this.users.get(id);
    if (!user) throw new Error(`There is no user ${id} on the loopback Discord`);
    return user;
  }
}
