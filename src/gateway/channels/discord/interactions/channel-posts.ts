import { createHash } from 'node:crypto';
import type { StoredEvent, StoredPermission } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
import type { ChannelStatus, GatewayFace } from '../../types.js';
import { findPost } from './find-post.js';
import { permissionMessage, settledMessage } from './permission-message.js';
import { channelPrefix, type InteractionParts, source } from './ports.js';
import { isFinal } from './problems.js';
import { queuedNote } from './queued-note.js';

/** More notes in one channel would be noise. */
const maxNotes = 10;

/**
 * The posts in a channel that show how things are: questions for a permission, and notes at messages that wait. `bringUpToDate`
 * compares them with the gateway, so that it doesn't matter what has happened, or how often, since it was last called.
 */
export class ChannelPosts {
  readonly #parts: InteractionParts;
  readonly #gateway: GatewayFace;

  constructor(parts: InteractionParts, gateway: GatewayFace) {
    this.#parts = parts;
    this.#gateway = gateway;
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
    const notes = posts.filter(({ type }) => type === 'queued');
    for (const post of notes)
      if (!status.waiting.some(({ id }) => id === post.subject)) await this.#removeNote(post);
    return this.#noteWaiting(status, notes);
  }

  async #ask(permission: StoredPermission): Promise<void> {
    const { api, store, now = Date.now, log } = this.#parts;
    const { channel, id } = permission;
    const preview = await this.#gateway.reports.preview(permission);
    const { content, components, files } = permissionMessage(permission, preview);
    const post = { type: 'permission', subject: id, channel, at: now() } as const;
    const body = { content, components, allowed_mentions: { parse: [] }, ...nonceOf(id) };
    try {
      const before = await findPost(api, idOf(channel), permission, now());
      const sent = before ?? (await api.send(idOf(channel), body, files));
      await store.saveDiscordPost({ ...post, messageId: sent.id });
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn('Discord does not take a question for a permission: answer it on the page', {
        channel,
        error,
      });
      await store.saveDiscordPost(post);
    }
  }

  /** Also used when somebody has clicked: `note` of the post tells who. */
  async #settle(post: DiscordPost): Promise<void> {
    const { store } = this.#parts;
    const permission = await this.#gateway.permission(post.subject);
    const [decision, by] = (post.note ?? '').split(' ');
    if (permission !== undefined)
      await this.#edit(post, settledMessage(permission, decision === permission.decision ? by : undefined));
    await store.removeDiscordPost('permission', post.subject);
  }

  async #noteWaiting(status: ChannelStatus, notes: readonly DiscordPost[]): Promise<number | undefined> {
    const { now = Date.now, noteAfterMs = 1500 } = this.#parts;
    // A message that no turn is in front of is about to begin.
    if (status.running === undefined) return undefined;
    let again: number | undefined;
    let shown = 0;
    for (const [index, event] of status.waiting.entries()) {
      if (event.source !== source || event.messageId === undefined || event.kind !== 'prompt') continue;
      if (event.attempts > 0 || shown === maxNotes) continue;
      shown += 1;
      const post = notes.find(({ subject }) => subject === event.id);
      const left = event.createdAt + noteAfterMs - now();
      if (post === undefined && left > 0) again = Math.min(again ?? left, left, noteAfterMs);
      else await this.#note(event, index + 1, post);
    }
    return again;
  }

  async #note(event: StoredEvent, ahead: number, post: DiscordPost | undefined): Promise<void> {
    const { api, store, now = Date.now, log } = this.#parts;
    const { channel, id, messageId } = event;
    const note = String(ahead);
    if (post?.note === note) return;
    const saved = { type: 'queued', subject: id, channel, note, at: post?.at ?? now() } as const;
    const body = { ...queuedNote(id, ahead), allowed_mentions: { parse: [] } };
    if (post !== undefined) {
      await this.#edit(post, body.content, body.components);
      return store.saveDiscordPost({ ...saved, messageId: post.messageId });
    }
    // What a slash command has asked is no message that could be replied to.
    const isCommand = (await store.discordPost('command', messageId ?? '')) !== undefined;
    const reply = { message_reference: { message_id: messageId ?? '', fail_if_not_exists: false } };
    try {
      const sent = await api.send(idOf(channel), {
        ...body,
        ...(isCommand ? {} : reply),
        ...nonceOf(id),
        flags: silent,
      });
      await store.saveDiscordPost({ ...saved, messageId: sent.id });
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn('Discord does not take a note that a message waits', { channel, error });
      await store.saveDiscordPost(saved);
    }
  }

  async #removeNote(post: DiscordPost): Promise<void> {
    const { api, store } = this.#parts;
    if (post.messageId !== undefined)
      await api.remove(idOf(post.channel), post.messageId).catch((error: unknown) => {
        if (!isFinal(error)) throw error;
      });
    await store.removeDiscordPost('queued', post.subject);
  }

  async #edit(post: DiscordPost, content: string, components: object[] = []): Promise<void> {
    if (post.messageId === undefined) return;
    const body = { content, components: components as never, allowed_mentions: { parse: [] } };
    await this.#parts.api.edit(idOf(post.channel), post.messageId, body).catch((error: unknown) => {
      if (!isFinal(error)) throw error;
    });
  }
}

/** Nobody's phone rings for a note. */
const silent = 1 << 12;

function idOf(channel: string): string {
  return channel.slice(channelPrefix.length);
}

/** After a crash between sending and writing it down, Discord gives the same message back. */
function nonceOf(subject: string): { readonly nonce: string; readonly enforce_nonce: true } {
  return { nonce: createHash('sha256').update(subject).digest('hex').slice(0, 25), enforce_nonce: true };
}
