import type { APIMessage } from 'discord.js';
import type { DiscordPost } from '../../../../store/store.js';
import type { GatewayFace } from '../../types.js';
import { refusesFiles } from '../deliver/final-problems.js';
import { DiscordProblem } from '../discord-api.js';
import { findPost } from './find-post.js';
import { type PermissionMessage, permissionMessage, settledMessage } from './permission-message.js';
import { readNote, writeNote } from './permission-note.js';
import type { InteractionParts } from './ports.js';
import { editPost, idOf, nonceOf, replyTo } from './posting.js';
import { isFinal } from './problems.js';
import type { SlashAnswers } from './slash-answers.js';
import { WaitingNotes } from './waiting-notes.js';

/**
 * The posts in a channel that show how things are: questions for a permission, notes at messages that wait, and answers of commands
 * that do. `bringUpToDate`
 * compares them with the gateway, so that it doesn't matter what has happened, or how often, since it was last called.
 */
export class ChannelPosts {
  readonly #parts: InteractionParts;
  readonly #gateway: GatewayFace;
  readonly #slash: Pick<SlashAnswers, 'endDropped'>;

  constructor(parts: InteractionParts, gateway: GatewayFace, slash: Pick<SlashAnswers, 'endDropped'>) {
    this.#parts = parts;
    this.#gateway = gateway;
    this.#slash = slash;
  }

  /** Returns when it has to be called again, in ms, even if nothing happens; undefined if it need not. */
  async bringUpToDate(channel: string): Promise<number | undefined> {
    const status = await this.#gateway.status(channel);
    const posts = await this.#parts.store.discordPosts(channel);
    const find = (type: DiscordPost['type'], subject: string) =>
      posts.find((post) => post.type === type && post.subject === subject);
    for (const permission of status.permissions)
      if (find('permission', permission.id) === undefined) await this.#ask(permission.id);
    for (const post of posts.filter(({ type }) => type === 'permission'))
      if (!status.permissions.some(({ id }) => id === post.subject)) await this.#settle(post);
    await this.#slash.endDropped(posts);
    return new WaitingNotes(this.#parts, status, posts).bringUpToDate();
  }

  /** A status has only as much of its questions as there is room for: nobody can allow what can't be seen. */
  async #ask(id: string): Promise<void> {
    const { api, store, now = Date.now, log, permissionMs = 0 } = this.#parts;
    const permission = await this.#gateway.permission(id);
    if (permission?.state !== 'pending') return;
    const { channel, createdAt } = permission;
    const preview = await this.#gateway.reports.preview(permission);
    const deniedAt = permissionMs > 0 ? createdAt + permissionMs : undefined;
    const post = { type: 'permission', subject: id, channel, at: now() } as const;
    const event = await this.#gateway.event(permission.eventId);
    const reply = event === undefined ? {} : await replyTo(this.#parts, event);
    const more = { allowed_mentions: { parse: [] }, ...nonceOf(id), ...reply };
    const send = ({ content, components, files }: PermissionMessage) =>
      api.send(idOf(channel), { content, components, ...more }, files);
    try {
      const before = await findPost(api, idOf(channel), permission, now());
      const sent =
        before ??
        (await this.#sendQuestion(send, (takesFiles) =>
          permissionMessage(permission, preview, { deniedAt, takesFiles }),
        ));
      await store.saveDiscordPost({ ...post, messageId: sent.id, note: writeNote({ asked: sent.content }) });
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn('Discord does not take a question for a permission: answer it on the page', {
        channel,
        error,
      });
      await store.saveDiscordPost(post);
    }
  }

  /** A long question has all of it in a file, which Discord may refuse: it can only be denied there then. */
  async #sendQuestion(
    send: (message: PermissionMessage) => Promise<APIMessage>,
    make: (takesFiles: boolean) => PermissionMessage,
  ): Promise<APIMessage> {
    const message = make(true);
    try {
      return await send(message);
    } catch (error) {
      const isRefused = error instanceof DiscordProblem && refusesFiles(error);
      if (message.files.length === 0 || !isRefused) throw error;
      return send(make(false));
    }
  }

  /** Also used when somebody has clicked: `note` of the post tells who. */
  async #settle(post: DiscordPost): Promise<void> {
    const { store } = this.#parts;
    const permission = await this.#gateway.permission(post.subject);
    const { decision, by, asked } = readNote(post.note);
    if (permission !== undefined)
      await editPost(
        this.#parts,
        post,
        settledMessage(permission, decision === permission.decision ? by : undefined, asked),
      );
    await store.removeDiscordPost('permission', post.subject);
  }
}
