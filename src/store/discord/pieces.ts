/** The messages that an answer becomes in Discord. They are written before the first one is sent. */
export interface DiscordPieceStore {
  /** In their order. Empty if the delivery has not been cut yet. */
  discordPieces(delivery: number): Promise<readonly DiscordPiece[]>;
  /**
   * Puts the pieces in place of those from the index `from` on. Those of deliveries that are not in the outbox any more are
   * removed: the outbox may ask for a delivery again until it has recorded it.
   */
  cutDiscordPieces(delivery: number, from: number, pieces: readonly NewDiscordPiece[]): Promise<void>;
  /** Only the first try counts. */
  discordPieceTried(delivery: number, index: number, at: number): Promise<void>;
  discordPieceSent(
    delivery: number,
    index: number,
    sent: { readonly channelId: string; readonly messageId: string },
  ): Promise<void>;
  /** The message that was sent last to a channel of Discord. */
  lastDiscordMessage(channelId: string): Promise<string | undefined>;
}

export interface NewDiscordPiece {
  readonly text: string;
  readonly nonce: string;
  readonly files?: readonly DiscordPieceFile[] | undefined;
}

/** A file of the agent, by its path, or the whole answer. */
export interface DiscordPieceFile {
  readonly name: string;
  readonly path?: string | undefined;
}

export interface DiscordPiece extends NewDiscordPiece {
  readonly index: number;
  readonly firstTriedAt?: number | undefined;
  /** Set as soon as it is known to be sent. */
  readonly messageId?: string | undefined;
}
