import type { Log } from '../../../../config/log.js';
import type { DiscordPlace, DiscordPlaceStore } from '../../../../store/discord/places.js';
import type { GatewayFace } from '../../types.js';
import { DiscordProblem } from '../discord-api.js';
import { channelOf, type DiscordEvent, type DiscordPart, type DiscordTools, type Known } from '../types.js';
import type { Attachments, MessageWithAttachments } from './attachments.js';
import { ChannelQueues } from './channel-queues.js';
import { fetchMissed, type MissedLimits } from './fetch-missed.js';
import { type FoundPlace, PlaceFinder } from './find-place.js';
import { isAddressed, isWritten } from './is-for-us.js';
import { promptText } from './prompt-text.js';
import { type DiscordMessage, readMessage, speakerOf } from './read-message.js';
import type { Bot } from './readable-text.js';
import { idBefore, isNewer } from './snowflake.js';

export interface ReceiverParts extends DiscordTools {
  readonly known: Known;
  readonly store: DiscordPlaceStore;
  readonly log: Log;
  readonly now: () => number;
  /** True if the text is a command of the gateway: it gets nothing but its words. */
  isCommand(text: string): boolean;
  saveAttachments(message: MessageWithAttachments, signal: AbortSignal): Promise<Attachments>;
  readonly missed: MissedLimits;
}

/** Takes the messages that are for the bot: each once, in the order of its channel, also those that came while it was away. */
export class Receiver implements DiscordPart {
  readonly #parts: ReceiverParts;
  readonly #finder: PlaceFinder;
  readonly #queues = new ChannelQueues();
  readonly #places: Map<string, DiscordPlace>;
  /** Channels in which a message could not be taken: it and those behind it are fetched again, in order. */
  readonly #behind = new Map<string, { readonly timer: NodeJS.Timeout; readonly tries: number }>();
  readonly #stopping = new AbortController();
  #gateway: GatewayFace | undefined;

  /** `places` are those of the store. */
  constructor(parts: ReceiverParts, places: readonly DiscordPlace[]) {
    this.#parts = parts;
    this.#finder = new PlaceFinder(parts.api, parts.known);
    this.#places = new Map(places.map((place) => [place.channelId, place]));
  }

  start(gateway: GatewayFace): void {
    this.#gateway = gateway;
  }

  /** What came before the session is told by nobody: it is looked for in every channel that has a place. */
  connected(): void {
    for (const { channelId } of this.#places.values())
      this.#queues.add(channelId, () => this.#orLater(channelId, () => this.#catchUp(channelId)));
  }

  handle(event: DiscordEvent): void {
    if (event.t !== 'MESSAGE_CREATE') return;
    const message = event.d as unknown as DiscordMessage;
    const { channel_id: channelId, id } = message;
    this.#queues.add(channelId, async () => {
      if (this.#behind.has(channelId)) return;
      await this.#orLater(channelId, () => this.#take(message), id);
    });
  }

  /** Takes a message and those behind it that were not taken when they came. False if that failed. */
  async takeUp(channelId: string, messageId: string): Promise<boolean> {
    let isDone = false;
    this.#queues.add(channelId, async () => {
      this.#places.set(channelId, { ...this.#places.get(channelId), channelId, seen: idBefore(messageId) });
      await this.#orLater(channelId, async () => {
        await this.#catchUp(channelId);
        isDone = true;
      });
    });
    await this.#queues.done(channelId);
    return isDone;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { timer } of this.#behind.values()) clearTimeout(timer);
    await this.#queues.empty();
  }

  async #take(message: DiscordMessage): Promise<void> {
    const { api, access, log, known } = this.#parts;
    const bot = this.#bot(message.guild_id);
    if (bot === undefined || !isWritten(message, bot)) return this.#saw(message);
    const channel = known.channel(message.channel_id);
    const isAsked = isAddressed(message, bot);
    const isPlainChannel = channel?.guildId !== undefined && channel.thread === undefined;
    if (!isAsked && isPlainChannel) return this.#saw(message);
    const place = await this.#finder.find(message.channel_id, bot.id);
    if (!isAsked && !place.isOurs) return this.#saw(message);
    const { guildId } = place;
    const member =
      message.member ??
      (guildId === undefined ? undefined : await api.member(guildId, message.author.id).catch(nobodyNow));
    const whole = member === undefined ? message : { ...message, member };
    // From here on the message is found after a crash, and the settings of a thread's parent are.
    if (!this.#places.has(place.channelId) && (await access.may(speakerOf(whole), place)))
      await this.#remember({
        channelId: place.channelId,
        parentId: place.parentId,
        seen: idBefore(message.id),
      });
    if (!(await access.admit(whole, speakerOf(whole), place))) {
      log.info('a message on Discord was not taken', {
        channel: channelOf(place.channelId),
        message: message.id,
      });
      return this.#saw(message);
    }
    await this.#receive(whole, place, { ...bot, roleId: guildId && known.ownRole(guildId) });
    await this.#saw(message);
  }

  async #receive(message: DiscordMessage, place: FoundPlace, bot: Bot): Promise<void> {
    const { channelId } = place;
    const { text, author } = readMessage(message, bot, this.#parts.known, place.guildId);
    await this.#gateway?.receive({
      channel: channelOf(channelId),
      source: 'discord',
      text: this.#parts.isCommand(text) ? text : await this.#prompt(message, place, bot),
      messageId: message.id,
      author: author.name,
    });
  }

  /** The prompt that a message makes after it was edited. Undefined if its author may not speak (any more). */
  async promptOf(message: DiscordMessage): Promise<string | undefined> {
    const bot = this.#bot(message.guild_id);
    if (bot === undefined) return undefined;
    const place = await this.#finder.find(message.channel_id, bot.id);
    if (!(await this.#parts.access.may(speakerOf(message), place))) return undefined;
    return this.#prompt(message, place, bot);
  }

  async #prompt(message: DiscordMessage, place: FoundPlace, bot: Bot): Promise<string> {
    const { known, saveAttachments } = this.#parts;
    const { channelId, guildId } = place;
    const { text, author, quoted, attachments } = readMessage(message, bot, known, guildId);
    const { files, problems } = await saveAttachments(
      { channelId, id: message.id, attachments },
      this.#stopping.signal,
    );
    const { id, name } = author;
    return promptText({ id: message.id, text, author: { id, name }, quoted, files, problems });
  }

  async #catchUp(channelId: string): Promise<void> {
    const { api, log, now, missed } = this.#parts;
    const place = this.#places.get(channelId);
    if (place === undefined) return;
    try {
      const found = await fetchMissed(api, place, missed, now());
      if (found.leftOut > 0)
        log.warn('messages on Discord that came meanwhile are left out: there are too many', {
          channel: channelOf(channelId),
          leftOut: found.leftOut,
        });
      const { guildId } =
        found.messages.length === 0 ? {} : await this.#finder.find(channelId, this.#bot()?.id ?? '');
      for (const message of found.messages) {
        if (this.#stopping.signal.aborted) return;
        await this.#take(guildId === undefined ? message : { ...message, guild_id: guildId });
      }
    } catch (error) {
      if (!(error instanceof DiscordProblem) || !gone.has(error.code ?? 0)) throw error;
      log.info('a channel of Discord is gone or closed to the bot', { channel: channelOf(channelId), error });
      if (error.code === unknownChannel) await this.#forget(channelId);
    }
  }

  /** A failure is no reason to lose a message: the channel is looked at again, from the message on. */
  async #orLater(channelId: string, task: () => Promise<void>, id?: string): Promise<void> {
    try {
      await task();
      clearTimeout(this.#behind.get(channelId)?.timer);
      this.#behind.delete(channelId);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#parts.log.warn('messages on Discord could not be taken: trying again', {
        channel: channelOf(channelId),
        error,
      });
      if (!this.#places.has(channelId) && id !== undefined)
        this.#places.set(channelId, { channelId, seen: idBefore(id) });
      this.#tryAgain(channelId);
    }
  }

  #tryAgain(channelId: string): void {
    const before = this.#behind.get(channelId);
    clearTimeout(before?.timer);
    const tries = (before?.tries ?? 0) + 1;
    const task = () => this.#orLater(channelId, () => this.#catchUp(channelId));
    const delay = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
    const timer = setTimeout(() => this.#queues.add(channelId, task), delay);
    this.#behind.set(channelId, { timer, tries });
  }

  /** Only channels that have a place: in others nothing is to be caught up with. */
  async #saw({ channel_id: channelId, id }: DiscordMessage): Promise<void> {
    const place = this.#places.get(channelId);
    if (place !== undefined && isNewer(id, place.seen)) await this.#remember({ ...place, seen: id });
  }

  async #remember(place: DiscordPlace): Promise<void> {
    await this.#parts.store.saveDiscordPlace(place);
    this.#places.set(place.channelId, place);
  }

  async #forget(channelId: string): Promise<void> {
    this.#places.delete(channelId);
    await this.#parts.store.forgetDiscordPlace(channelId);
  }

  #bot(guildId?: string): Bot | undefined {
    const bot = this.#parts.session()?.bot;
    return bot && { ...bot, roleId: guildId === undefined ? undefined : this.#parts.known.ownRole(guildId) };
  }
}

const firstDelayMs = 250;
const longestDelayMs = 60_000;
const unknownChannel = 10003;
const gone: ReadonlySet<number> = new Set([unknownChannel, 50001, 50013]);

/** Somebody may have left. Without roles nobody may do more. */
function nobodyNow(error: unknown): undefined {
  if (error instanceof DiscordProblem && error.code !== undefined) return undefined;
  throw error;
}
