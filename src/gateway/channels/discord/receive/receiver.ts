import type { Log } from '../../../../config/log.js';
import type { DiscordPlace, DiscordPlaceStore } from '../../../../store/discord/places.js';
import type { GatewayFace, IncomingMessage } from '../../types.js';
import { DiscordProblem } from '../discord-api.js';
import { idBefore } from '../snowflake.js';
import { channelOf, type DiscordEvent, type DiscordPart, type DiscordTools, type Known } from '../types.js';
import { askBack } from './ask-back.js';
import type { Attachments, MessageWithAttachments } from './attachments.js';
import { ChannelQueues } from './channel-queues.js';
import { explainLeftOut, fetchMissed, type Missed, type MissedLimits } from './fetch-missed.js';
import { FewAtATime } from './few-at-a-time.js';
import { type FoundPlace, PlaceFinder } from './find-place.js';
import { answeredBy, isAddressed, isWritten } from './is-for-us.js';
import { LateChanges } from './late-changes.js';
import { messageContext } from './message-context.js';
import { type DiscordMessage, readMessage, saysNothing, speakerOf } from './read-message.js';
import type { Bot } from './readable-text.js';
import { SeenPlaces } from './seen-places.js';
import { shownText } from './shown-text.js';
import { talkBefore } from './talk.js';
import { UntakenMessages } from './untaken-messages.js';

export interface ReceiverParts extends DiscordTools {
  readonly known: Known;
  readonly store: DiscordPlaceStore;
  readonly log: Log;
  readonly now: () => number;
  /** True if the text is a command of the gateway: it gets nothing but its words. */
  isCommand(text: string): boolean;
  /** The title that a conversation has until somebody gives it another. */
  titleOf?(place: FoundPlace, person: string): string | undefined;
  saveAttachments(message: MessageWithAttachments, signal: AbortSignal): Promise<Attachments>;
  readonly missed: MissedLimits;
  /** So many messages of a channel are passed on with one that mentions the bot there. */
  readonly contextMessages: number;
}

/** What a message is for people, and what the agent gets behind that. */
export type Prompt = Required<Pick<IncomingMessage, 'text' | 'context'>>;

/** Takes the messages that are for the bot: each once, in the order of its channel, also those that came while it was away. */
export class Receiver implements DiscordPart {
  readonly #parts: ReceiverParts;
  readonly #finder: PlaceFinder;
  readonly #late = new LateChanges();
  readonly #queues = new ChannelQueues((channelId) => this.#late.forget(channelId));
  /** After a restart there may be many channels to catch up with, and Discord counts the requests. */
  readonly #catchingUp = new FewAtATime(4);
  readonly #places: SeenPlaces;
  readonly #untaken = new UntakenMessages();
  /** Channels in which a message could not be taken: it and those behind it are taken later, in order. */
  readonly #behind = new Map<string, { readonly timer: NodeJS.Timeout; readonly tries: number }>();
  /** Channels whose title was looked at. */
  readonly #named = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<void>;
  #gateway: GatewayFace | undefined;

  /** `places` are those of the store. */
  constructor(parts: ReceiverParts, places: readonly DiscordPlace[]) {
    this.#parts = parts;
    this.#finder = new PlaceFinder(parts.api, parts.known);
    this.#places = new SeenPlaces(parts.store, places);
    const { signal } = this.#stopping;
    this.#stopped = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
  }

  start(gateway: GatewayFace): void {
    this.#gateway = gateway;
  }

  /** What came before the session is told by nobody: it is looked for in every channel that has a place. */
  connected(): void {
    for (const channelId of this.#places.channelIds)
      this.#queues.add(channelId, () => this.#orLater(channelId, () => this.#catchUp(channelId)));
  }

  handle(event: DiscordEvent): void {
    switch (event.t) {
      case 'MESSAGE_CREATE':
        this.#came(event.d as unknown as DiscordMessage);
        break;
      case 'MESSAGE_UPDATE':
        this.#edited(event.d as unknown as DiscordMessage);
        break;
      case 'MESSAGE_DELETE':
        this.#deleted(event.d.channel_id, [event.d.id]);
        break;
      case 'MESSAGE_DELETE_BULK':
        this.#deleted(event.d.channel_id, event.d.ids);
    }
  }

  /** The bot is spoken to there by something else than a message, or speaks itself. */
  async spokenIn({ channelId, parentId }: Omit<DiscordPlace, 'seen'>, id: string): Promise<void> {
    await this.#places.speaks({ channelId, parentId }, id);
  }

  /** Takes a message and those behind it that were not taken when they came. False if there are none, or that failed. */
  async takeUp(channelId: string, messageId: string): Promise<boolean> {
    let taken = 0;
    this.#queues.add(channelId, async () => {
      this.#places.goBackTo(channelId, messageId);
      await this.#orLater(channelId, async () => {
        taken = await this.#catchUp(channelId);
      });
    });
    await this.#queues.done(channelId);
    return taken > 0 || (await this.#isReceived(channelId, messageId));
  }

  /** Resolves when the messages of a channel that have come so far are on disk, or were not taken. */
  async received(channelId: string): Promise<void> {
    await this.#queues.done(channelId);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { timer } of this.#behind.values()) clearTimeout(timer);
    this.#catchingUp.hurryAll();
    await this.#queues.empty();
  }

  #came(message: DiscordMessage): void {
    const { channel_id: channelId } = message;
    this.#queues.add(channelId, async () => {
      if (this.#behind.has(channelId)) this.#keep(message);
      else await this.#orLater(channelId, () => this.#take(message), message);
    });
    // Somebody who speaks to the bot now waits for what was missed in this channel, and for no other.
    if (this.#mayBeForUs(message)) this.#catchingUp.hurry(channelId);
  }

  #edited(message: DiscordMessage): void {
    // Discord also tells of link previews, as updates without an edit, and of what the bot itself edits.
    if (!message.edited_timestamp || !message.author || message.author.bot) return;
    this.#untaken.change(message);
    if (this.#queues.isBusy(message.channel_id)) this.#late.note(message.channel_id, message.id, message);
  }

  #deleted(channelId: string, ids: readonly string[]): void {
    for (const id of ids) this.#untaken.forget(channelId, id);
    if (!this.#queues.isBusy(channelId)) return;
    for (const id of ids) this.#late.note(channelId, id, 'deleted');
  }

  /** False if it is for others, as far as can be told without asking Discord. */
  #mayBeForUs(message: DiscordMessage): boolean {
    const bot = this.#bot(message.guild_id);
    if (bot === undefined || !isWritten(message, bot)) return false;
    const channel = this.#parts.known.channel(message.channel_id);
    const isPlainChannel = channel?.guildId !== undefined && channel.thread === undefined;
    return !isPlainChannel || isAddressed(message, bot);
  }

  async #isForUs(message: DiscordMessage): Promise<boolean> {
    const bot = this.#bot(message.guild_id);
    if (bot === undefined || !this.#mayBeForUs(message)) return false;
    return isAddressed(message, bot) || (await this.#finder.find(message.channel_id, bot.id)).isOurs;
  }

  /** `members` are those who were asked for before: messages of the history come without. */
  async #take(given: DiscordMessage, members = new Map<string, DiscordMessage['member']>()): Promise<void> {
    const { access, log, known } = this.#parts;
    const message = this.#late.newest(given);
    const bot = this.#bot(given.guild_id);
    if (message === undefined || bot === undefined || !(await this.#isForUs(message)))
      return this.#places.saw(given.channel_id, given.id);
    const place = await this.#finder.find(message.channel_id, bot.id);
    const { channelId, guildId, parentId } = place;
    const member = message.member ?? (await this.#memberOf(guildId, message.author.id, members));
    const whole = member === undefined ? message : { ...message, member };
    const own = { ...bot, roleId: guildId && known.ownRole(guildId) };
    const speaker = speakerOf(whole);
    const maySpeak = await access.may(speaker, place);
    // From here on the message is found after a crash, and the settings of a thread's parent are.
    if (maySpeak) await this.#places.speaks({ channelId, parentId }, message.id);
    const read = readMessage(whole, own, known, guildId);
    if (maySpeak && saysNothing(read)) await askBack(this.#parts, whole, place);
    else if (await access.admit({ ...whole, words: read.text }, speaker, place))
      await this.#receive(whole, place, own);
    else
      log.info('a message on Discord was not taken', {
        channel: channelOf(channelId),
        discordMessage: message.id,
        person: { id: speaker.id, name: speaker.name },
        reason: maySpeak ? 'over a limit' : 'may not speak here',
      });
    await this.#places.saw(message.channel_id, message.id);
  }

  async #memberOf(
    guildId: string | undefined,
    userId: string,
    members: Map<string, DiscordMessage['member']>,
  ): Promise<DiscordMessage['member']> {
    if (guildId === undefined) return undefined;
    if (!members.has(userId))
      members.set(userId, await this.#parts.api.member(guildId, userId).catch(nobodyNow));
    return members.get(userId);
  }

  async #receive(message: DiscordMessage, place: FoundPlace, bot: Bot): Promise<void> {
    const { channelId } = place;
    const { text, author } = readMessage(message, bot, this.#parts.known, place.guildId);
    const prompt = this.#parts.isCommand(text) ? { text } : await this.#prompt(message, place, bot);
    const newest = this.#late.newest(message);
    if (newest === undefined) return;
    if (newest !== message) return this.#receive(newest, place, bot);
    await this.#gateway?.receive({
      channel: channelOf(channelId),
      source: 'discord',
      ...prompt,
      messageId: message.id,
      author: author.name,
    });
    await this.#nameConversation(place, author.name);
  }

  /** Once for each channel: whoever takes the title away is asked for none again. Never rejects. */
  async #nameConversation(place: FoundPlace, person: string): Promise<void> {
    const channel = channelOf(place.channelId);
    if (this.#named.has(channel) || this.#gateway === undefined) return;
    this.#named.add(channel);
    try {
      const title = this.#parts.titleOf?.(place, person);
      if (title === undefined || (await this.#gateway.status(channel)).title !== undefined) return;
      await this.#gateway.changeListing(channel, { title });
    } catch (error) {
      this.#parts.log.debug('a conversation on Discord got no title', { channel, error });
    }
  }

  /** The prompt that a message makes after it was edited. Undefined if its author may not speak (any more). */
  async promptOf(message: DiscordMessage): Promise<Prompt | undefined> {
    const bot = this.#bot(message.guild_id);
    if (bot === undefined) return undefined;
    const place = await this.#finder.find(message.channel_id, bot.id);
    if (!(await this.#parts.access.may(speakerOf(message), place))) return undefined;
    return this.#prompt(message, place, bot);
  }

  /** Whether somebody whose message has waited may speak there still. Undefined if Discord can't be asked. */
  async maySpeak(userId: string, channelId: string): Promise<boolean | undefined> {
    const { access, api, log, known } = this.#parts;
    try {
      // After a restart, messages that waited are ready before Discord is.
      if (this.#bot() === undefined) await Promise.race([known.guildsKnown(), this.#stopped, soon()]);
      const bot = this.#bot();
      if (bot === undefined) return undefined;
      const place = await this.#finder.find(channelId, bot.id);
      const speaker = { id: userId, name: '', roles: [] };
      // Most people are known by their ids: only the others' roles have to be asked for.
      if (await access.may(speaker, place)) return true;
      if (place.guildId === undefined) return false;
      const member = await api.member(place.guildId, userId).catch(nobodyNow);
      return await access.may({ ...speaker, roles: member?.roles ?? [] }, place);
    } catch (error) {
      log.warn('Discord did not tell whether somebody may speak still', {
        channel: channelOf(channelId),
        error,
      });
      return undefined;
    }
  }

  async #prompt(message: DiscordMessage, place: FoundPlace, bot: Bot): Promise<Prompt> {
    const { known, saveAttachments } = this.#parts;
    const { channelId, guildId } = place;
    const read = readMessage(message, bot, known, guildId);
    const { text, author, quoted, attachments, extras } = read;
    const { files, problems } = await saveAttachments(
      { channelId, id: message.id, attachments },
      this.#stopping.signal,
    );
    const talk = await talkBefore(this.#parts, message, place, bot);
    const { id, name } = author;
    const spoken = { id: message.id, text, author: { id, name }, quoted, extras, files, problems, talk };
    return { text: shownText(read), context: messageContext(spoken) };
  }

  /** Returns how many messages for the bot there were. */
  async #catchUp(channelId: string): Promise<number> {
    // Before that, neither the channels nor the bot's roles are known.
    await Promise.race([this.#parts.known.guildsKnown(), this.#stopped]);
    return this.#catchingUp.run(channelId, () => this.#takeMissed(channelId));
  }

  async #takeMissed(channelId: string): Promise<number> {
    const { signal } = this.#stopping;
    const { messages: missed, newest } = await this.#fetchMissed(channelId);
    const messages = this.#untaken.with(channelId, missed);
    const members = new Map<string, DiscordMessage['member']>();
    for (const message of messages) {
      if (signal.aborted) return 0;
      await this.#take(await this.#withGuild(message), members);
      this.#untaken.forget(channelId, message.id);
    }
    if (newest !== undefined) await this.#places.saw(channelId, newest);
    return messages.length;
  }

  /** What the history has, and the gateway has not. Nothing if the bot may not read it. */
  async #fetchMissed(channelId: string): Promise<Missed> {
    const { api, log, now, missed: limits } = this.#parts;
    const { signal } = this.#stopping;
    const place = this.#places.get(channelId);
    if (place === undefined || signal.aborted) return { messages: [] };
    // A store out of a backup does not know what was answered since: the history does.
    const answered = new Set<string>();
    const isForUs = async (message: DiscordMessage) => {
      const answers = answeredBy(message, this.#bot()?.id);
      if (answers !== undefined) answered.add(answers);
      return (
        (await this.#isForUs(await this.#withGuild(message))) &&
        !(await this.#isReceived(channelId, message.id))
      );
    };
    try {
      const found = await fetchMissed({ ...{ api, place, limits, now: now(), isForUs, signal } });
      const missed = { ...found, messages: found.messages.filter(({ id }) => !answered.has(id)) };
      const [first] = missed.messages;
      if (missed.leftOut !== undefined) {
        log.warn(explainLeftOut(missed.leftOut, limits), { channel: channelOf(channelId) });
        // They are left out for good: the next look, after a failure or a crash, begins behind them.
        if (first !== undefined) await this.#places.settled(channelId, idBefore(first.id));
      }
      return missed;
    } catch (error) {
      if (!(error instanceof DiscordProblem) || !gone.has(error.code ?? 0)) throw error;
      log.info('a channel of Discord is gone or closed to the bot', { channel: channelOf(channelId), error });
      if (error.code === unknownChannel) await this.#places.forget(channelId);
      return { messages: [] };
    }
  }

  async #isReceived(channelId: string, messageId: string): Promise<boolean> {
    return (await this.#gateway?.eventOf('discord', channelOf(channelId), messageId)) !== undefined;
  }

  /** Messages of the history don't tell their guild. */
  async #withGuild(message: DiscordMessage): Promise<DiscordMessage> {
    const { guildId } = await this.#finder.find(message.channel_id, this.#bot()?.id ?? '');
    return guildId === undefined ? message : { ...message, guild_id: guildId };
  }

  /** A failure is no reason to lose a message: the channel is looked at again, from the message on. */
  async #orLater(channelId: string, task: () => Promise<unknown>, message?: DiscordMessage): Promise<void> {
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
      if (message !== undefined) {
        this.#keep(message);
        if (this.#places.get(channelId) === undefined) this.#places.goBackTo(channelId, message.id);
      }
      this.#tryAgain(channelId);
    }
  }

  #keep(message: DiscordMessage): void {
    if (!this.#mayBeForUs(message) || this.#untaken.keep(message)) return;
    this.#parts.log.warn(
      'too many messages on Discord wait to be taken: the history has to have the others',
      {
        channel: channelOf(message.channel_id),
      },
    );
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

  #bot(guildId?: string): Bot | undefined {
    const bot = this.#parts.session()?.bot;
    return bot && { ...bot, roleId: guildId === undefined ? undefined : this.#parts.known.ownRole(guildId) };
  }
}

const firstDelayMs = 250;
const longestDelayMs = 60_000;
const waitForDiscordMs = 10_000;
const unknownChannel = 10003;
const gone: ReadonlySet<number> = new Set([unknownChannel, 50001, 50013]);

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitForDiscordMs).unref());
}

/** Somebody may have left. Without roles nobody may do more. */
function nobodyNow(error: unknown): undefined {
  if (error instanceof DiscordProblem && error.code !== undefined) return undefined;
  throw error;
}
