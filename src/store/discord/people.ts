/**
 * Who may speak in Discord beside those whom the settings allow, and what each has had: pairings, refusals, turns. Every id is one
 * of Discord's. A time that a jump of the clock has left far in the future counts as over: nothing stays open or closed for ever.
 */
export interface DiscordPeopleStore {
  isDiscordPaired(userId: string): Promise<boolean>;
  /** Whoever was approved, the newest first. */
  discordPaired(): Promise<readonly PairedPerson[]>;
  /** The strangers whose codes are valid at `at`, the newest first. */
  discordStrangers(at: number): Promise<readonly PairingRequest[]>;
  /** The stranger's valid code is told once more; without one, or with another hash, the new one is stored, unless too many are open. */
  openDiscordCode(code: NewPairingCode): Promise<OpenedCode>;
  /** The stranger's valid code, as far as it is known. */
  discordCode(userId: string, at: number): Promise<KnownCode | undefined>;
  /** Pairs whoever has the code. A wrong one counts; after some the right one does not help for a while either. */
  approveDiscordCode(attempt: CodeAttempt): Promise<Approval>;
  /** Undoes a pairing, or takes an open code back. False if there was neither. */
  removeDiscordPerson(userId: string): Promise<boolean>;
  /** Those who were approved and don't know it yet. */
  discordUnwelcomed(): Promise<readonly PairedPerson[]>;
  discordWelcomed(userId: string): Promise<void>;
  /** True once for a user, a channel and a kind in `everyMs`, unless there were `most` of the kind within the last hour. */
  noteDiscordRefusal(refusal: DiscordRefusal): Promise<boolean>;
  /** Counts the turn, unless a limit forbids it. A message that was counted is not counted again. */
  countDiscordTurn(turn: DiscordTurn, limits: DiscordLimits): Promise<OverLimit | undefined>;
  /** Who has sent a message that was counted. Undefined if it was not, or days ago. */
  discordSender(messageId: string): Promise<string | undefined>;
  /** The limit of cost that a message which was counted, and has waited since, has reached meanwhile. */
  discordSpendReached(
    message: Omit<DiscordTurn, 'userId'>,
    limits: DiscordLimits,
  ): Promise<OverLimit | undefined>;
}

export interface PairedPerson {
  readonly userId: string;
  readonly name: string;
  /** The channel of his direct messages. */
  readonly channelId: string;
  /** The message that began it. */
  readonly messageId: string;
  readonly pairedAt: number;
}

export interface PairingRequest {
  readonly userId: string;
  readonly name: string;
  readonly askedAt: number;
  readonly expiresAt: number;
}

export interface NewPairingCode {
  readonly userId: string;
  readonly name: string;
  readonly channelId: string;
  readonly messageId: string;
  readonly salt: string;
  readonly hash: string;
  readonly at: number;
  readonly maxOpen: number;
}

/** `told`: how often the code was told before. */
export type OpenedCode =
  | { readonly type: 'open'; readonly told: number; readonly expiresAt: number }
  | { readonly type: 'full' };

/** `told`: how often it was told. */
export interface KnownCode {
  readonly salt: string;
  readonly hash: string;
  readonly told: number;
}

export interface CodeAttempt {
  readonly hash: string;
  readonly at: number;
}

export type Approval =
  | { readonly type: 'paired'; readonly person: PairedPerson }
  | { readonly type: 'unknown'; readonly triesLeft: number }
  | { readonly type: 'paused'; readonly until: number };

export interface DiscordRefusal {
  readonly userId: string;
  readonly channelId: string;
  readonly kind: string;
  readonly at: number;
  readonly everyMs: number;
  readonly most: number;
}

export interface DiscordTurn {
  readonly messageId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly at: number;
}

/** 0 is no limit. */
export interface DiscordLimits {
  readonly userTurnsPerHour: number;
  readonly channelTurnsPerHour: number;
  readonly userSpendPerDay: number;
  readonly channelSpendPerDay: number;
}

export interface OverLimit {
  readonly limit: keyof DiscordLimits;
  /** When there is room again. */
  readonly until: number;
}

/** A code is valid for so long. */
export const pairingCodeMs = 3_600_000;
/** So many wrong codes are allowed within the time of the pause. */
export const maxWrongCodes = 5;
export const wrongCodePauseMs = 15 * 60_000;
