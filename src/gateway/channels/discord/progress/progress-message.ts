import { createHash } from 'node:crypto';
import type { Store } from '../../../../store/store.js';
import { snowflakeAt } from '../deliver/find-sent.js';
import { type DiscordApi, DiscordProblem, silent } from '../discord-api.js';
import { doneText, isProgress } from './render-progress.js';
import { wait } from './wait.js';

export interface MessageParts {
  readonly api: Pick<DiscordApi, 'send' | 'edit' | 'remove' | 'messages'>;
  readonly store: Pick<Store, 'saveDiscordProgress' | 'forgetDiscordProgress' | 'discordProgress'>;
  readonly now: () => number;
  /** The shortest time between two edits. */
  readonly editMs: number;
}

/** Also without any news the time goes on, so often. */
const editsForTimeMs = 10_000;
/** After one of these there is no message (any more), or none that we may remove. */
const gone: ReadonlySet<number | undefined> = new Set([10003, 10008, 50001, 50013]);

export interface Shown {
  readonly turnId: string;
  readonly state: string;
  render(now: number): string;
}

/**
 * Sends a progress message and edits it until the signal is aborted. Its id is on disk, so that the next gateway can remove it.
 * Requests are given up with the signal: answers of the channel would wait behind one that hangs.
 */
export async function showProgress(
  { api, store, now, editMs }: MessageParts,
  channelId: string,
  view: Shown,
  signal: AbortSignal,
): Promise<void> {
  const firstTriedAt = now();
  const nonce = nonceOf(channelId, view.turnId);
  await store.saveDiscordProgress({ channelId, nonce, firstTriedAt });
  let state = view.state;
  const body = {
    content: view.render(now()),
    nonce,
    enforce_nonce: true,
    allowed_mentions: { parse: [] },
    // No notification: the answer makes one.
    flags: silent,
  };
  const { id } = await api.send(channelId, body, [], signal);
  await store.saveDiscordProgress({ channelId, nonce, firstTriedAt, messageId: id });
  let [pause, editedAt] = [editMs, now()];
  // One edit at a time, always of the newest state: the slower Discord is, the fewer they are.
  while (await wait(pause, signal)) {
    if (view.state === state && now() - editedAt < editsForTimeMs) continue;
    const begun = performance.now();
    state = view.state;
    editedAt = now();
    const changed = { content: view.render(editedAt), allowed_mentions: { parse: [] } };
    await api.edit(channelId, id, changed, signal);
    pause = Math.max(editMs, 2 * (performance.now() - begun));
  }
}

export function nonceOf(channelId: string, turnId: string): string {
  return createHash('sha256').update(`progress ${channelId} ${turnId}`).digest('base64url').slice(0, 24);
}

/** Removes the progress messages of the channel that the store knows of, or of all. Those that it can't reach stay known. */
export async function removeProgress(
  { api, store }: MessageParts,
  botId: string,
  channelId?: string,
): Promise<void> {
  const known = await store.discordProgress();
  for (const progress of known) {
    if (channelId !== undefined && progress.channelId !== channelId) continue;
    try {
      const id = progress.messageId ?? (await find(api, progress.channelId, botId, progress.firstTriedAt));
      if (id !== undefined) await removeOrEnd(api, progress.channelId, id);
    } catch (error) {
      if (!(error instanceof DiscordProblem) || !gone.has(error.code)) continue;
    }
    await store.forgetDiscordProgress(progress.channelId);
  }
}

async function removeOrEnd(api: MessageParts['api'], channelId: string, id: string): Promise<void> {
  try {
    await api.remove(channelId, id);
  } catch (error) {
    if (error instanceof DiscordProblem && gone.has(error.code)) throw error;
    await api.edit(channelId, id, { content: doneText, allowed_mentions: { parse: [] } });
  }
}

/** A message whose id was not written down: the gateway has died while it was sent, or has given the request up. */
async function find(
  api: MessageParts['api'],
  channelId: string,
  botId: string,
  firstTriedAt: number,
): Promise<string | undefined> {
  const after = snowflakeAt(firstTriedAt - 60_000);
  const messages = await api.messages(channelId, { after, limit: 100 });
  return messages.find((message) => message.author.id === botId && isProgress(message))?.id;
}
