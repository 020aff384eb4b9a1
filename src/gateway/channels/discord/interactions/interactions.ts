import type { APIMessage } from 'discord.js';
import { questionId } from '../../../../core/question-text.js';
import { stoppedText } from '../../../../core/stopped-text.js';
import { within } from '../../../../core/wait.js';
import type { Delivery, StoredEvent } from '../../../../store/rows.js';
import type { GatewayFace } from '../../types.js';
import type { InteractionKey } from '../discord-api.js';
import { acknowledge } from './acknowledge.js';
import { ChannelPosts } from './channel-posts.js';
import { click } from './clicks.js';
import { InOrder } from './in-order.js';
import { channelPrefix, type InteractionParts, source } from './ports.js';
import { explain } from './problems.js';
import {
  type ReadCommand,
  type ReadInteraction,
  readInteraction,
  type WireInteraction,
} from './read-interaction.js';
import { SlashAnswers } from './slash-answers.js';
import { fingerprint, isPrivate, slashCommands } from './slash-commands.js';

/** Discord's numbers: an answer that comes later, a click that changes its message or nothing, and what only the asker sees. */
const deferred = 5;
const deferredUpdate = 6;
const ephemeral = 64;

const stopMs = 2000;
/** Discord may tell of an interaction again, within moments. */
const remembered = 1000;

/**
 * What people do on Discord beside writing messages: slash commands, buttons, and edits and deletions of messages that wait. It
 * takes Discord's events as they are, and keeps nothing in memory that a restart would miss.
 */
export class Interactions {
  readonly #parts: InteractionParts;
  readonly #order = new InOrder();
  readonly #stopped = new AbortController();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Channels whose posts are about to be brought up to date: many changes in a row are one. */
  readonly #due = new Set<string>();
  /** The interactions that came last. */
  readonly #known = new Set<string>();
  #live: { gateway: GatewayFace; slash: SlashAnswers; posts: ChannelPosts } | undefined;

  constructor(parts: InteractionParts) {
    this.#parts = parts;
  }

  start(gateway: GatewayFace): void {
    const slash = new SlashAnswers(this.#parts, gateway);
    this.#live = { gateway, slash, posts: new ChannelPosts(this.#parts, gateway, slash) };
    void this.#watch(gateway);
  }

  /** Brings everything up to date that has changed while there was no connection. */
  connected({ applicationId }: { readonly applicationId: string }): void {
    void this.#attempt('the slash commands could not be registered', () => this.#register(applicationId));
    void this.#attempt('the posts could not be looked through', async () => {
      await this.#live?.slash.forgetOld();
      const posts = await this.#parts.store.discordPosts();
      const pending = (await this.#live?.gateway.pendingPermissions()) ?? [];
      for (const { channel } of [...posts, ...pending]) this.#changed(channel);
    });
  }

  /** Called with every event, at once: an interaction is acknowledged before anything is done. */
  handle({ t, d }: { readonly t: string | null; readonly d?: unknown }): void {
    if (this.#live === undefined || this.#stopped.signal.aborted) return;
    if (t === 'INTERACTION_CREATE') void this.#interact(d as WireInteraction);
    if (t === 'MESSAGE_UPDATE') this.#edited(d as APIMessage);
    if (t === 'MESSAGE_DELETE') this.#deleted(d as Deleted, [(d as Deleted).id ?? '']);
    if (t === 'MESSAGE_DELETE_BULK') this.#deleted(d as Deleted, (d as Deleted).ids ?? []);
  }

  /**
   * True if the message needs no delivery: it was the reply to a slash command, which has become its answer, the text of a
   * question, which is asked with buttons, or what another message says as well. Rejects if Discord did not take it.
   */
  async deliver(delivery: Delivery): Promise<boolean> {
    const live = this.#live;
    if (live === undefined) return false;
    const { role, text, channel } = delivery.message;
    const permissionId = role === 'system' ? questionId(text) : undefined;
    if (permissionId === undefined)
      return (await live.slash.deliver(delivery)) || (await isSaidByTurn(delivery, live.gateway));
    if ((await live.gateway.permission(permissionId))?.channel !== channel) return false;
    await this.#order.run(channel, () => live.posts.bringUpToDate(channel));
    return true;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await within(stopMs, this.#order.idle());
  }

  async #register(applicationId: string): Promise<void> {
    const { store, api, now = Date.now } = this.#parts;
    const commands = slashCommands(this.#parts.commands);
    const note = fingerprint(commands);
    if ((await store.discordPost('registered', applicationId))?.note === note) return;
    await api.setCommands(commands);
    await store.saveDiscordPost({ type: 'registered', subject: applicationId, channel: '', note, at: now() });
  }

  async #interact(wire: WireInteraction): Promise<void> {
    const read = readInteraction(wire);
    if (read === undefined) return;
    if (this.#known.has(wire.id)) return;
    this.#known.add(wire.id);
    for (const id of this.#known) {
      if (this.#known.size <= remembered) break;
      this.#known.delete(id);
    }
    const promise = read.type === 'click' ? { type: deferredUpdate } : await this.#promise(read);
    if (!(await acknowledge(this.#parts, read.key, promise, this.#stopped.signal))) return;
    await this.#attempt('an interaction failed', () => this.#carryOut(read));
  }

  async #promise(command: ReadCommand) {
    const isQuiet = isPrivate(command.name, command.argument) || !(await this.#isTaken(command));
    return { type: deferred, data: isQuiet ? { flags: ephemeral } : {} };
  }

  /**
   * Whether everybody may see the answer can't be changed after the acknowledgement, so that a refusal has to be known before it.
   * It takes the store a few milliseconds; if it takes long, only the person sees the answer, whatever it is.
   */
  async #isTaken(command: ReadCommand): Promise<boolean> {
    const { decideMs = 800 } = this.#parts;
    const { slash } = this.#live ?? {};
    if (slash === undefined) return false;
    const refused = slash.refusal(command).catch(() => 'The store does not answer.');
    return (await within(decideMs, refused)) === undefined;
  }

  async #carryOut(read: ReadInteraction): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    if (read.type === 'command')
      return this.#order.run(`commands of ${read.place.channelId}`, () => live.slash.run(read));
    const channel = channelPrefix + read.place.channelId;
    // In order with the posts: a question must not be shown as answered before it is known by whom.
    const told = await this.#order.run(channel, () =>
      click(read, this.#parts, live.gateway).catch(async (error: unknown) => {
        await this.#tell(read.key, explain(error));
        throw error;
      }),
    );
    this.#changed(channel);
    if (told !== undefined) await this.#tell(read.key, told);
  }

  /** Tells the one who has clicked something, and nobody else. */
  async #tell(key: InteractionKey, content: string): Promise<void> {
    await this.#parts.api.followUp(key, { content, flags: ephemeral, allowed_mentions: { parse: [] } });
  }

  #edited(message: APIMessage): void {
    // Discord also tells of link previews, as updates without an edit.
    if (!message.edited_timestamp || !message.author || message.author.bot) return;
    this.#withWaiting(message.channel_id, message.id, async (event, gateway) => {
      const prompt = await this.#parts.promptOf(message);
      if (prompt !== undefined && (prompt.text !== event.text || prompt.context !== event.context))
        await gateway.changeWaiting(event.id, prompt.text, prompt.context);
    });
  }

  #deleted({ channel_id: channelId }: Deleted, ids: readonly string[]): void {
    for (const id of ids)
      this.#withWaiting(channelId, id, async (event, gateway) => void (await gateway.cancel(event.id)));
  }

  #withWaiting(
    channelId: string,
    messageId: string,
    change: (event: StoredEvent, gateway: GatewayFace) => Promise<void>,
  ): void {
    const gateway = this.#live?.gateway;
    if (gateway === undefined) return;
    const channel = channelPrefix + channelId;
    const find = () =>
      this.#order.run(`changes of ${channelId}`, async () => {
        const event = await gateway.eventOf(source, channel, messageId);
        if (event?.state === 'queued') await change(event, gateway);
        return event !== undefined;
      });
    void this.#attempt('a message that waits could not be changed', async () => {
      // One that is being written to disk just now was read by the receiver before the change.
      if ((await find()) || this.#parts.received === undefined) return;
      await this.#parts.received(channelId);
      await find();
    });
  }

  async #watch(gateway: GatewayFace): Promise<void> {
    const { signal } = this.#stopped;
    await this.#attempt('what happens in the channels could not be followed', async () => {
      for await (const entry of gateway.follow(channelPrefix, { others: true, signal }))
        if (entry.type === 'others') for (const channel of entry.channels) this.#changed(channel);
    });
  }

  #changed(channel: string): void {
    if (!channel.startsWith(channelPrefix) || channel === channelPrefix || this.#due.has(channel)) return;
    if (this.#stopped.signal.aborted) return;
    this.#due.add(channel);
    void this.#order.run(channel, async () => {
      this.#due.delete(channel);
      const { log, retryMs = 10_000 } = this.#parts;
      try {
        const again = await this.#live?.posts.bringUpToDate(channel);
        if (again !== undefined) this.#changedIn(again, channel);
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        log.warn('the posts of a channel could not be brought up to date: trying again', { channel, error });
        this.#changedIn(retryMs, channel);
      }
    });
  }

  #changedIn(ms: number, channel: string): void {
    clearTimeout(this.#timers.get(channel));
    if (this.#stopped.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(channel);
      this.#changed(channel);
    }, ms);
    this.#timers.set(channel, timer);
  }

  async #attempt(failure: string, job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#parts.log.error(failure, { error });
    }
  }
}

/** The turn that a typed /stop has ended tells so itself, and by whom. */
async function isSaidByTurn({ message }: Delivery, gateway: GatewayFace): Promise<boolean> {
  if (message.role !== 'system' || message.text !== stoppedText || message.eventId === undefined)
    return false;
  return (await gateway.event(message.eventId))?.kind === 'command';
}

interface Deleted {
  readonly channel_id: string;
  readonly id?: string;
  readonly ids?: readonly string[];
}
