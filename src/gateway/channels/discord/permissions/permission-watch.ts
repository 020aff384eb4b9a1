import type { Log } from '../../../../config/log.js';
import type { AllowedLists } from '../access/may-speak.js';
import type { DiscordEvent, DiscordPart, DiscordSession } from '../types.js';
import { describeMissing } from './describe-missing.js';
import type { SeenGuild } from './seen-guild.js';

export interface WatchParts {
  guilds(): readonly SeenGuild[];
  readonly allowed: AllowedLists;
  readonly log: Log;
  /** Servers are told one after the other: it is looked when they have come. */
  readonly quietMs?: number | undefined;
}

/** After one of these the bot may be allowed more, or less. */
const changes: ReadonlySet<string> = new Set([
  ...['GUILD_CREATE', 'GUILD_UPDATE', 'GUILD_DELETE', 'GUILD_MEMBER_UPDATE'],
  ...['GUILD_ROLE_CREATE', 'GUILD_ROLE_UPDATE', 'GUILD_ROLE_DELETE'],
  ...['CHANNEL_CREATE', 'CHANNEL_UPDATE', 'CHANNEL_DELETE'],
]);

/** Knows which permissions the bot lacks. The log is told of each lack once, when it begins. */
export class PermissionWatch implements DiscordPart {
  readonly #parts: WatchParts;
  #session: DiscordSession | undefined;
  #problems: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  connected(session: DiscordSession): void {
    this.#session = session;
    this.#lookSoon();
  }

  handle({ t }: DiscordEvent): void {
    if (changes.has(t)) this.#lookSoon();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#session = undefined;
  }

  #lookSoon(): void {
    if (this.#session === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#parts.quietMs ?? 1000);
  }

  #look(): void {
    const { guilds, allowed, log } = this.#parts;
    if (this.#session === undefined) return;
    const before = this.#problems;
    const { applicationId } = this.#session;
    this.#problems = describeMissing({ guilds: guilds(), applicationId }, allowed);
    for (const problem of this.#problems) if (!before.includes(problem)) log.warn(problem);
    if (before.length > 0 && this.#problems.length === 0)
      log.info('the bot has all permissions in Discord that it needs');
  }
}
