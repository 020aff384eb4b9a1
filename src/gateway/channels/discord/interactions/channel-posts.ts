import type { APIMessage } from 'discord.js';
import type { StoredPermission } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
import type { GatewayFace } from '../../types.js';
import { refusesFiles } from '../deliver/final-problems.js';
import { type DiscordApi, DiscordProblem, type OutgoingFile } from '../discord-api.js';
import { findPost } from './find-post.js';
import { permissionMessage, settledMessage } from './permission-message.js';
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
      if (find('permission', permission.id) === undefined) await this.#ask(permission);
    for (const post of posts.filter(({ type }) => type === 'permission'))
      if (!status.permissions.some(({ id }) => id === post.subject)) await this.#settle(post);
    await this.#slash.endDropped(posts);
    return new WaitingNotes(this.#parts, status, posts).bringUpToDate();
  }

  async #ask(permission: StoredPermission): Promise<void> {
    const { api, store, now = Date.now, log, permissionMs = 0 } = this.#parts;
    const { channel, id, createdAt } = permission;
    const preview = await this.#gateway.reports.preview(permission);
    const deniedAt = permissionMs > 0 ? createdAt + permissionMs : undefined;
    const { content, components, files } = permissionMessage(permission, preview, deniedAt);
    const post = { type: 'permission', subject: id, channel, at: now() } as const;
    const event = await this.#gateway.event(permission.eventId);
    const reply = event === undefined ? {} : await replyTo(this.#parts, event);
    const body = { content, components, allowed_mentions: { parse: [] }, ...nonceOf(id), ...reply };
    try {
      const before = await findPost(api, idOf(channel), permission, now());
      const sent = before ?? (await this.#sendQuestion(channel, body, files));
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

  /** A long question has all of it in a file, which Discord may refuse: its beginning and its end are asked all the same. */
  async #sendQuestion(
    channel: string,
    body: Parameters<DiscordApi['send']>[1],
    files: readonly OutgoingFile[],
  ): Promise<APIMessage> {
    const { api } = this.#parts;
    try {
      return await api.send(idOf(channel), body, files);
    } catch (error) {
      if (files.length === 0 || !(error instanceof DiscordProblem) || !refusesFiles(error)) throw error;
      return api.send(idOf(channel), body);
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
