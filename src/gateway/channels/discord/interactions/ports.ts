import type { APIMessage } from 'discord.js';
import type { Log } from '../../../../config/log.js';
import type { DiscordPosts } from '../../../../store/store.js';
import type { DiscordApi } from '../discord-api.js';
import type { Place, Speaker } from '../types.js';

/** What the interactions need of the rest of the channel. */
export interface InteractionParts {
  /** The bot is spoken to there: messages that come while it is away are looked for, and a thread has its parent's settings. */
  spokenIn?(place: Place, id: string): Promise<void>;
  readonly api: DiscordApi;
  readonly access: InteractionAccess;
  readonly store: DiscordPosts;
  readonly log: Log;
  /** The gateway's chat commands: each becomes a slash command. */
  readonly commands: readonly ListedCommand[];
  /** The prompt of a message that somebody has edited. Undefined if its author may not speak (any more): nothing is changed. */
  promptOf(
    message: APIMessage,
  ): Promise<{ readonly text: string; readonly context?: string | undefined } | undefined>;
  /** Resolves when the messages of a channel of Discord that have come so far are on disk, or were not taken. */
  received?(channelId: string): Promise<void>;
  readonly now?: (() => number) | undefined;
  /** A permission that nobody decides about is denied after this time; 0 is never. */
  readonly permissionMs?: number | undefined;
  /** A message is told that it waits when it has waited this long: most turns begin at once. */
  readonly noteAfterMs?: number | undefined;
  /** The pause after some notes: Discord takes few messages a second, and the answers come first. */
  readonly notePauseMs?: number | undefined;
  /** An interaction has to be acknowledged within this time. */
  readonly acknowledgeMs?: number | undefined;
  /** So long it may take to find out whether somebody is refused, before the acknowledgement. */
  readonly decideMs?: number | undefined;
  /** The wait before what Discord did not take is tried again. */
  readonly retryMs?: number | undefined;
}

export interface InteractionAccess {
  may(speaker: Speaker, place: Place): Promise<boolean>;
  /**
   * Counts a turn for the limits. Returns the words for somebody who is over one; undefined if the turn may begin. The same id may
   * come twice.
   */
  countTurn?(id: string, speaker: Speaker, place: Place): Promise<string | undefined>;
}

export interface ListedCommand {
  readonly name: string;
  readonly argument?: string;
  readonly summary: string;
}

/** The source of events that come from Discord. */
export const source = 'discord';

export const channelPrefix = 'discord:';
