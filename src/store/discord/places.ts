/** A channel of Discord in which the gateway speaks. */
export interface DiscordPlace {
  readonly channelId: string;
  /** The channel that a thread belongs to. */
  readonly parentId?: string | undefined;
  /** All messages up to this one are settled: those behind it are looked at after a restart. */
  readonly seen: string;
}

export interface DiscordPlaceStore {
  discordPlaces(): Promise<readonly DiscordPlace[]>;
  discordPlace(channelId: string): Promise<DiscordPlace | undefined>;
  /** `seen` only grows: an older one changes nothing. */
  saveDiscordPlace(place: DiscordPlace): Promise<void>;
  forgetDiscordPlace(channelId: string): Promise<void>;
}
