/** The messages that show how a turn goes on: they are removed with its end, also after a crash. */
export interface DiscordProgressStore {
  /** Written before the message is sent, and again with its id. There is one for each channel of Discord. */
  saveDiscordProgress(progress: DiscordProgress): Promise<void>;
  forgetDiscordProgress(channelId: string): Promise<void>;
  discordProgress(): Promise<readonly DiscordProgress[]>;
}

export interface DiscordProgress {
  readonly channelId: string;
  readonly nonce: string;
  readonly firstTriedAt: number;
  readonly messageId?: string | undefined;
}
