import type { APIMessage, GatewayDispatchPayload } from 'discord.js';
import type { Delivery } from '../../../store/rows.js';
import type { GatewayFace } from '../types.js';
import type { DiscordApi } from './discord-api.js';
import type { Bot } from './receive/readable-text.js';

// What the parts of the channel are to each other. `DiscordChannel` puts them together.

/** An event of Discord's gateway, in its own JSON. */
export type DiscordEvent = GatewayDispatchPayload;

/** Somebody who speaks, clicks or runs a command. */
export interface Speaker {
  readonly id: string;
  readonly name: string;
  /** The ids of the roles in the guild; none in a DM. */
  readonly roles: readonly string[];
}

/** Where somebody speaks. */
export interface Place {
  readonly channelId: string;
  /** The channel that a thread belongs to. */
  readonly parentId?: string | undefined;
  /** Undefined in a DM. */
  readonly guildId?: string | undefined;
}

export interface Access {
  /** Whether somebody may speak, click or run commands there. Tells nobody. */
  may(speaker: Speaker, place: Place): Promise<boolean>;
  /**
   * Whether a message that is for the bot is taken. Whoever may not speak, or is over a limit, is told here (a refusal, a code for
   * pairing, when it goes on). The same message may come twice. `words` is what the gateway would get.
   */
  admit(message: APIMessage & { readonly words: string }, speaker: Speaker, place: Place): Promise<boolean>;
}

/** A part that lives with the channel. */
export interface DiscordPart {
  /** Called when the gateway takes messages. Discord may be out of reach still. */
  start?(gateway: GatewayFace): void;
  /** Called with each session that begins, and not when one is resumed. */
  connected?(session: DiscordSession): void;
  /** Every event, in order. It is called at once, and must not throw. */
  handle?(event: DiscordEvent): void;
  stop?(): Promise<void>;
}

export interface DiscordSession {
  readonly bot: Bot;
  readonly applicationId: string;
  /** How many the bot is in. */
  readonly servers?: number | undefined;
}

/** Brings a message to its reader: see `PushedChannel.deliver`. */
export type Deliver = (delivery: Delivery) => Promise<void>;

/** What each part gets. */
export interface DiscordTools {
  readonly api: DiscordApi;
  readonly access: Access;
  /** Undefined until Discord has told it. */
  session(): DiscordSession | undefined;
}

/** What is known about the places of Discord without asking. */
export interface Known {
  channel(channelId: string): KnownChannel | undefined;
  roleName(guildId: string, roleId: string): string | undefined;
  /** The role that Discord has made for the bot. */
  ownRole(guildId: string): string | undefined;
  /** Resolves when Discord has told all of that in the present session. */
  guildsKnown(): Promise<void>;
}

export interface KnownChannel {
  readonly name?: string | undefined;
  /** Undefined in a DM. */
  readonly guildId?: string | undefined;
  readonly thread?:
    | { readonly parentId?: string | undefined; readonly ownerId?: string | undefined }
    | undefined;
}

export const discordPrefix = 'discord:';

/** The gateway's channel of one of Discord's. */
export function channelOf(channelId: string): string {
  return discordPrefix + channelId;
}

/** Discord's channel of one of the gateway's. */
export function channelIdOf(channel: string): string {
  return channel.slice(discordPrefix.length);
}
