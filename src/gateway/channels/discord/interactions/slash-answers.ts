import type { Delivery } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
import type { GatewayFace } from '../../types.js';
import type { InteractionKey } from '../discord-api.js';
import { messageContext } from '../receive/message-context.js';
import { splitAnswer } from '../split-answer.js';
import { InOrder } from './in-order.js';
import { channelPrefix, type InteractionParts, source } from './ports.js';
import { explain, isOver } from './problems.js';
import type { ReadCommand } from './read-interaction.js';
import { askCommand } from './slash-commands.js';

/** Discord takes changes of an answer for 15 minutes. */
const tokenMs = 14.5 * 60_000;

/** What is written down about a command: the token of its interaction, and the delivery that has become its answer. */
interface CommandNote {
  readonly token: string;
  readonly delivery?: number;
  /** The event of a command that has to wait, and was told so. */
  readonly waits?: string;
}

/** Slash commands. They go through the gateway's queue like typed ones; what it replies becomes the answer of the interaction. */
export class SlashAnswers {
  readonly #parts: InteractionParts;
  readonly #gateway: GatewayFace;
  readonly #order = new InOrder();

  constructor(parts: InteractionParts, gateway: GatewayFace) {
    this.#parts = parts;
    this.#gateway = gateway;
  }

  /** Why a command is not run, in words for its person. Asked twice about the same command, it counts it once. */
  async refusal({ key, speaker, place, name, canWrite }: ReadCommand): Promise<string | undefined> {
    const { access } = this.#parts;
    if (!(await access.may(speaker, place))) return notAllowed;
    if (name !== askCommand && name !== 'retry') return undefined;
    return canWrite ? access.countTurn?.(key.id, speaker, place) : cannotWrite;
  }

  /** Runs a command that has been acknowledged. */
  async run(command: ReadCommand): Promise<void> {
    const { store, now = Date.now } = this.#parts;
    const { key, speaker, place } = command;
    const channel = channelPrefix + place.channelId;
    const refused = await this.refusal(command);
    if (refused !== undefined) return this.answer(key, refused);
    // Written down first: the reply may be there before the gateway has said that it took the command.
    const note: CommandNote = { token: key.token };
    await store.saveDiscordPost({
      ...{ type: 'command', subject: key.id, channel, at: now() },
      note: JSON.stringify(note),
    });
    await this.#parts.spokenIn?.(place, key.id);
    const { event } = await this.#gateway
      .receive({ ...{ channel, source, ...wordsOf(command), messageId: key.id, author: speaker.name } })
      .catch(async (error: unknown) => {
        await this.answer(key, explain(error));
        throw error;
      });
    if (event.kind === 'prompt') await this.answer(key, quoteOf(command));
    else if (event.state === 'queued') await this.#tellThatItWaits(key, channel, event.id);
  }

  async #tellThatItWaits(key: InteractionKey, channel: string, eventId: string): Promise<void> {
    if ((await this.#gateway.status(channel)).running === undefined) return;
    await this.#order.run(key.id, async () => {
      if ((await this.#gateway.event(eventId))?.state !== 'queued') return;
      const { store } = this.#parts;
      const post = await store.discordPost('command', key.id);
      const note: CommandNote = { ...readCommandNote(post), token: key.token, waits: eventId };
      if (post !== undefined) await store.saveDiscordPost({ ...post, note: JSON.stringify(note) });
      await this.answer(key, 'It waits for the turn that is running.');
    });
  }

  /** Says of commands that were told to wait, and are dropped since, that they are. */
  async endDropped(posts: readonly DiscordPost[]): Promise<void> {
    for (const { type, subject } of posts) {
      if (type !== 'command') continue;
      await this.#order.run(subject, async () => {
        const post = await this.#parts.store.discordPost('command', subject);
        const { waits, ...note } = readCommandNote(post);
        if (post === undefined || waits === undefined) return;
        const event = await this.#gateway.event(waits);
        if (event?.state === 'queued' || event?.state === 'running') return;
        if (event?.state === 'cancelled' && !this.#isOld(post))
          await this.answer({ id: subject, token: note.token }, 'Dropped: it was not run.');
        await this.#parts.store.saveDiscordPost({ ...post, note: JSON.stringify(note) });
      });
    }
  }

  #isOld({ at }: DiscordPost): boolean {
    const { now = Date.now } = this.#parts;
    return now() - at > tokenMs || now() < at;
  }

  /** True if the message was the reply to a slash command, and has become its answer. */
  async deliver({ id, message }: Delivery): Promise<boolean> {
    if (message.eventId === undefined) return false;
    const event = await this.#gateway.event(message.eventId);
    if (event?.kind !== 'command' || event.source !== source || event.messageId === undefined) return false;
    const post = await this.#parts.store.discordPost('command', event.messageId);
    if (post === undefined) return false;
    return this.#order.run(post.subject, () => this.#fillIn(post, id, message));
  }

  async #fillIn(post: DiscordPost, delivery: number, message: Delivery['message']): Promise<boolean> {
    const { store } = this.#parts;
    const note = readCommandNote((await store.discordPost('command', post.subject)) ?? post);
    if ((note.delivery !== undefined && note.delivery !== delivery) || this.#isOld(post)) return false;
    const { pieces, file } = splitAnswer(message.text);
    const isShort = message.role === 'system' && pieces.length === 1 && file === undefined;
    // Of several messages only the first one is the answer: after a crash it has to be the same one.
    await store.saveDiscordPost({ ...post, note: JSON.stringify({ ...note, delivery }) });
    const key = { id: post.subject, token: note.token };
    return (await this.#edit(key, isShort ? (pieces[0] ?? '') : 'The answer is below.')) && isShort;
  }

  async answer(key: InteractionKey, content: string): Promise<void> {
    await this.#edit(key, content);
  }

  /** False if the interaction can't be answered any more. */
  async #edit(key: InteractionKey, content: string): Promise<boolean> {
    try {
      await this.#parts.api.editResponse(key, { content, allowed_mentions: { parse: [] } });
      return true;
    } catch (error) {
      if (isOver(error)) return false;
      throw error;
    }
  }

  /** Forgets commands whose interactions are over for long. */
  async forgetOld(): Promise<void> {
    const { store, now = Date.now } = this.#parts;
    for (const { type, subject, at } of await store.discordPosts())
      if (type === 'command' && Math.abs(now() - at) > 86_400_000)
        await store.removeDiscordPost(type, subject);
  }
}

function readCommandNote(post: DiscordPost | undefined): CommandNote {
  return JSON.parse(post?.note ?? '{"token":""}') as CommandNote;
}

export const notAllowed = 'You may not talk to me here. Whoever runs me can allow it.';
const cannotWrite = 'I can’t write in this channel: ask somebody to let me see it and send messages.';

function wordsOf({ name, argument, key, speaker }: ReadCommand): { text: string; context?: string } {
  if (name !== askCommand) return { text: argument === '' ? `/${name}` : `/${name} ${argument}` };
  // A space in front makes a prompt of what would be a command of the gateway.
  const text = argument.startsWith('/') ? ` ${argument}` : argument;
  const { id, name: author } = speaker;
  return { text, context: messageContext({ id: key.id, text, author: { id, name: author } }) };
}

/** Others see what was asked. */
function quoteOf({ speaker, argument }: ReadCommand): string {
  const text =
    argument.length <= 1800 ? argument : `${argument.slice(0, 1799).replace(/[\ud800-\udbff]$/, '')}…`;
  return `<@${speaker.id}> asks:\n${text
    .replaceAll(/^/gm, '> ')
    .slice(0, 1960)
    .replace(/[\ud800-\udbff]$/, '')}`;
}
