/** A server as the bot sees it. */
export interface SeenGuild {
  readonly id: string;
  readonly name: string;
  /** Undefined if Discord has not told them: a server may be out of order. */
  readonly channels?: readonly SeenChannel[] | undefined;
}

export interface SeenChannel {
  readonly id: string;
  readonly name: string;
  /** Discord's number. */
  readonly type: number;
  /** What the bot may do there. */
  readonly permissions: bigint;
}
