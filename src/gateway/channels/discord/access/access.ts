import type { Log } from '../../../../config/log.js';
import type { DiscordLimits, DiscordPeopleStore } from '../../../../store/discord/people.js';
import { type DiscordApi, withoutPreviews } from '../discord-api.js';
import type { Place, Speaker } from '../types.js';
import { type AllowedLists, maySpeak } from './may-speak.js';
import { offerPairing } from './pairing.js';
import { welcomePeople } from './welcome-people.js';
import { cantWrite, limitReached, strangerRefusal } from './words.js';

export interface AccessParts {
  readonly api: Pick<DiscordApi, 'send' | 'messages'>;
  readonly store: DiscordPeopleStore;
  readonly allowed: AllowedLists;
  readonly limits: DiscordLimits;
  /** False if strangers get no code; true without. */
  readonly pairing?: boolean | undefined;
  /** The bot's token: codes follow from it. */
  readonly secret: string;
  readonly log: Log;
  readonly now?: (() => number) | undefined;
  /** The bot's own id, as soon as it is known. */
  readonly botId: () => string | undefined;
  /** False for what needs no agent, such as /stop: limits don't count for it. */
  readonly startsTurn?: ((text: string) => boolean) | undefined;
  /** The permission that the bot is known to lack to answer in a channel. */
  readonly lacksToWrite?: ((channelId: string) => string | undefined) | undefined;
  /** The channel of direct messages with somebody. */
  readonly directChannel?: ((userId: string) => Promise<{ readonly id: string }>) | undefined;
  /**
   * Takes up what a person wrote before he was approved, from this message on. Resolves to false if that is not possible: he
   * is asked to write again.
   */
  readonly takeUp?: ((channelId: string, messageId: string) => Promise<boolean>) | undefined;
  /** How often the store is asked who was approved meanwhile: `turnout pair` writes it there. */
  readonly lookEveryMs?: number | undefined;
}

/** The parts of a message that count here, in Discord's own JSON. */
export interface SpokenMessage {
  readonly id: string;
  readonly channel_id: string;
  /** Its words as the gateway gets them, without the bot's mention. */
  readonly words: string;
  readonly mentions: readonly { readonly id: string }[];
}

/** The day's refusals for strangers in guilds. */
const refusalEveryMs = 86_400_000;
const maxRefusalsPerHour = 30;
/** Somebody over a limit who writes on is told again after this long. */
const limitEveryMs = 10 * 60_000;
const maxLimitAnswersPerHour = 200;

/** Decides who may speak in Discord, and tells those who may not. */
export class DiscordAccess {
  readonly #parts: AccessParts;
  readonly #now: () => number;
  #looking: NodeJS.Timeout | undefined;
  #welcoming: Promise<void> = Promise.resolve();
  /** Whether the last look failed: the log is told once. */
  #failing = false;
  /** The channels in which the bot can't write, as far as the log has been told. */
  readonly #mute = new Set<string>();

  constructor(parts: AccessParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Whether somebody may speak, click or run commands there. Tells nobody. */
  async may(speaker: Speaker, place: Place): Promise<boolean> {
    const { allowed, store } = this.#parts;
    if (maySpeak(allowed, speaker, place, false)) return true;
    // Whoever may not speak there even if he were paired needs no look into the store.
    return maySpeak(allowed, speaker, place, true) && store.isDiscordPaired(speaker.id);
  }

  /**
   * Whether a message that is for the bot is taken. Whoever may not speak, or is over a limit, is told here (a refusal, a code for
   * pairing, when it goes on). The same message may come twice.
   */
  async admit(message: SpokenMessage, speaker: Speaker, place: Place): Promise<boolean> {
    const allowed = await this.may(speaker, place);
    if (allowed && !(await this.#canAnswer(speaker, place.channelId))) return false;
    const answer = allowed
      ? await this.#limitAnswer(message, speaker)
      : await this.#strangerAnswer(message, speaker, place);
    if (answer === 'taken') return true;
    if (answer !== undefined) await this.#reply(message, answer);
    return false;
  }

  /**
   * Counts a turn that no message begins, such as that of a slash command. Returns the words for somebody who is over a limit.
   * The same id may come twice.
   */
  async countTurn(id: string, speaker: Speaker, place: Place): Promise<string | undefined> {
    const { store, limits } = this.#parts;
    const turn = { messageId: id, userId: speaker.id, channelId: place.channelId, at: this.#now() };
    const over = await store.countDiscordTurn(turn, limits);
    return over === undefined ? undefined : limitReached(over);
  }

  /** From now on people who are approved are told. */
  start(): void {
    const look = () => {
      // Without a session nothing can be sent.
      if (this.#parts.botId() === undefined) return;
      this.#welcoming = this.#welcoming.then(() => this.welcome());
    };
    this.#looking ??= setInterval(look, this.#parts.lookEveryMs ?? 3000);
    this.#looking.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    this.#looking = undefined;
    await this.#welcoming;
  }

  /** Tells those who were approved. Never rejects: the next look tries again. */
  async welcome(): Promise<void> {
    try {
      await welcomePeople(this.#parts);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        this.#parts.log.warn('people could not be told that they are approved: it is tried again', { error });
      this.#failing = true;
    }
  }

  async #limitAnswer(message: SpokenMessage, speaker: Speaker): Promise<string | 'taken' | undefined> {
    const { startsTurn = () => true } = this.#parts;
    if (!startsTurn(message.words)) return 'taken';
    const refusal = await this.countTurn(message.id, speaker, { channelId: message.channel_id });
    if (refusal === undefined) return 'taken';
    return (await this.#mayTell(message, speaker, 'limit')) ? refusal : undefined;
  }

  async #strangerAnswer(message: SpokenMessage, speaker: Speaker, place: Place): Promise<string | undefined> {
    const isDirect = place.guildId === undefined;
    if (isDirect && this.#parts.pairing !== false) {
      const { store, secret } = this.#parts;
      const key = { channelId: message.channel_id, messageId: message.id };
      return offerPairing(speaker, key, { store, secret, now: this.#now });
    }
    // In a thread of the bot people talk with each other, too.
    const botId = this.#parts.botId();
    if (!isDirect && !message.mentions.some(({ id }) => id === botId)) return undefined;
    return (await this.#mayTell(message, speaker, 'stranger')) ? strangerRefusal : undefined;
  }

  /** Where the bot can't write, no agent works in vain. The asker is told in a direct message, once a day. */
  async #canAnswer(speaker: Speaker, channelId: string): Promise<boolean> {
    const { lacksToWrite, directChannel, store, api, log } = this.#parts;
    const lacking = lacksToWrite?.(channelId);
    if (lacking === undefined) {
      this.#mute.delete(channelId);
      return true;
    }
    if (!this.#mute.has(channelId))
      log.warn(`The bot lacks "${lacking}" in a channel of Discord: messages there are not taken.`, {
        channelId,
      });
    this.#mute.add(channelId);
    const told = { userId: speaker.id, channelId, at: this.#now(), kind: 'mute' };
    if (!(await store.noteDiscordRefusal({ ...told, everyMs: refusalEveryMs, most: maxRefusalsPerHour })))
      return false;
    try {
      const direct = await directChannel?.(speaker.id);
      if (direct !== undefined)
        await api.send(direct.id, {
          content: cantWrite(channelId, lacking),
          allowed_mentions: { parse: [] },
        });
    } catch (error) {
      log.info('somebody could not be told that the bot can’t write in a channel', { channelId, error });
    }
    return false;
  }

  #mayTell(message: SpokenMessage, speaker: Speaker, kind: 'stranger' | 'limit'): Promise<boolean> {
    const [everyMs, most] =
      kind === 'stranger' ? [refusalEveryMs, maxRefusalsPerHour] : [limitEveryMs, maxLimitAnswersPerHour];
    const who = { userId: speaker.id, channelId: message.channel_id, at: this.#now() };
    return this.#parts.store.noteDiscordRefusal({ ...who, kind, everyMs, most });
  }

  /** Nobody's message is held up because a refusal could not be brought. */
  async #reply(message: SpokenMessage, content: string): Promise<void> {
    try {
      await this.#parts.api.send(message.channel_id, {
        content,
        message_reference: { message_id: message.id, fail_if_not_exists: false },
        allowed_mentions: { parse: [] },
        flags: withoutPreviews,
      });
    } catch (error) {
      this.#parts.log.warn('a refusal could not be sent to Discord', { channel: message.channel_id, error });
    }
  }
}
