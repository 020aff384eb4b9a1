/** What the bot has posted on Discord and has to find again: after a restart, too. */
export interface DiscordPosts {
  /** Writes a post down; one of the same type about the same subject is replaced. */
  saveDiscordPost(post: DiscordPost): Promise<void>;
  discordPost(type: DiscordPostType, subject: string): Promise<DiscordPost | undefined>;
  /** The posts in a channel, or all of them, in the order in which they were written down first. */
  discordPosts(channel?: string): Promise<readonly DiscordPost[]>;
  removeDiscordPost(type: DiscordPostType, subject: string): Promise<void>;
}

/**
 * `permission`: a question with its buttons, about a permission request. `queued`: the note that a message waits, about its event.
 * `more`: the note that many wait, about the channel. `command`: the answer to a slash command, about the interaction.
 * `registered`: the slash commands that Discord has.
 */
export type DiscordPostType = 'permission' | 'queued' | 'more' | 'command' | 'registered';

export interface DiscordPost {
  readonly type: DiscordPostType;
  readonly subject: string;
  /** The gateway's channel. */
  readonly channel: string;
  /** Discord's id of the message. */
  readonly messageId?: string | undefined;
  /** What its writer has to know about it later. */
  readonly note?: string | undefined;
  readonly at: number;
}
