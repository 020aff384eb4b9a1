import type { StoredEvent } from '../../../../store/rows.js';
import type { DiscordPost } from '../../../../store/store.js';
import type { ChannelStatus } from '../../types.js';
import { silent } from '../discord-api.js';
import { type InteractionParts, source } from './ports.js';
import { editPost, idOf, messageOf, nonceOf, removeNote, replyTo, sending } from './posting.js';
import { isFinal } from './problems.js';
import { moreNote, type Note, queuedNote } from './queued-note.js';

/** So many messages have a note each. All others that wait have one together, at the newest of them: more would be noise. */
const maxNotes = 5;
/** Discord takes five messages in five seconds, and the answers come first. */
const changesAtOnce = 3;
/** The note for many follows the newest message, but not more often. */
const moveAfterMs = 10_000;

interface Due {
  readonly event: StoredEvent;
  readonly ahead: number;
}

/** The notes at messages of a channel that wait, compared with the gateway. */
export class WaitingNotes {
  readonly #parts: InteractionParts;
  readonly #status: ChannelStatus;
  readonly #posts: readonly DiscordPost[];
  #changesLeft = changesAtOnce;
  /** When it has to be looked at again, in ms. */
  #again: number | undefined;

  constructor(parts: InteractionParts, status: ChannelStatus, posts: readonly DiscordPost[]) {
    this.#parts = parts;
    this.#status = status;
    this.#posts = posts;
  }

  /** Returns when it has to be done again, in ms, even if nothing happens; undefined if it need not. */
  async bringUpToDate(): Promise<number | undefined> {
    const { waiting, waitingCount, running } = this.#status;
    const due = waiting.map((event, index) => ({ event, ahead: index + 1 })).filter(hasNote);
    const others = due.slice(maxNotes);
    const more = this.#posts.find(({ type }) => type === 'more');
    for (const post of this.#posts)
      if (post.type === 'queued' && !waiting.some(({ id }) => id === post.subject))
        await removeNote(this.#parts, post);
    if (more !== undefined && others.length === 0) await removeNote(this.#parts, more);
    // A message that no turn is in front of is about to begin.
    if (running === undefined) return undefined;
    for (const { event, ahead } of due.slice(0, maxNotes)) await this.#one(event, ahead);
    const newest = others.at(-1);
    if (newest !== undefined)
      await this.#many(newest.event, others.length + waitingCount - waiting.length, more);
    return this.#again;
  }

  async #one(event: StoredEvent, ahead: number): Promise<void> {
    const { now = Date.now } = this.#parts;
    const { channel, id } = event;
    const post = this.#posts.find(({ type, subject }) => type === 'queued' && subject === id);
    const note = String(ahead);
    if (post?.note === note || !this.#isDue(event, post)) return;
    const saved = { type: 'queued', subject: id, channel, note, at: post?.at ?? now() } as const;
    await this.#show(saved, queuedNote(id, ahead), event, post);
  }

  async #many(newest: StoredEvent, count: number, post: DiscordPost | undefined): Promise<void> {
    const { now = Date.now } = this.#parts;
    const { channel, id } = newest;
    // The note says how many wait, and at which message it is.
    const [shown, at] = post?.note?.split(' ') ?? [];
    const moveIn = at === id ? 0 : (post?.at ?? Number.NEGATIVE_INFINITY) + moveAfterMs - now();
    if (moveIn > 0) this.#lookAgainIn(moveIn);
    const moves = at !== id && moveIn <= 0;
    if ((!moves && shown === String(count)) || !this.#isDue(newest, post)) return;
    const note = `${count} ${moves ? id : at}`;
    if (moves && post !== undefined) await removeNote(this.#parts, post);
    const time = moves || post === undefined ? now() : post.at;
    const saved = { type: 'more', subject: channel, channel, note, at: time } as const;
    await this.#show(saved, moreNote(count), newest, moves ? undefined : post);
  }

  /** False if it has to wait: it is looked at again then. */
  #isDue(event: StoredEvent, post: DiscordPost | undefined): boolean {
    const { now = Date.now, noteAfterMs = 1500, notePauseMs = 2500 } = this.#parts;
    const left = post === undefined ? event.createdAt + noteAfterMs - now() : 0;
    if (left > 0) this.#lookAgainIn(Math.min(left, noteAfterMs));
    else if (this.#changesLeft <= 0) this.#lookAgainIn(notePauseMs);
    else {
      this.#changesLeft -= 1;
      return true;
    }
    return false;
  }

  #lookAgainIn(ms: number): void {
    this.#again = Math.min(this.#again ?? ms, ms);
  }

  async #show(saved: DiscordPost, note: Note, event: StoredEvent, post: DiscordPost | undefined) {
    const { api, store, log } = this.#parts;
    const { channel } = saved;
    const messageId = post && (await messageOf(this.#parts, post));
    if (post !== undefined && (messageId !== undefined || post.note !== sending)) {
      await editPost(this.#parts, { ...post, messageId }, note.content, note.components);
      return store.saveDiscordPost({ ...saved, messageId });
    }
    await store.saveDiscordPost({ ...saved, note: sending });
    const body = { ...note, allowed_mentions: { parse: [] }, flags: silent };
    const nonce = nonceOf(saved.type === 'queued' ? event.id : `more ${event.id}`);
    try {
      const sent = await api.send(idOf(channel), {
        ...body,
        ...nonce,
        ...(await replyTo(this.#parts, event)),
      });
      await store.saveDiscordPost({ ...saved, messageId: sent.id });
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn('Discord does not take a note that a message waits', { channel, error });
      await store.saveDiscordPost(saved);
    }
  }
}

function hasNote({ event }: Due): boolean {
  const { source: from, messageId, kind, attempts } = event;
  return from === source && messageId !== undefined && kind === 'prompt' && attempts === 0;
}
