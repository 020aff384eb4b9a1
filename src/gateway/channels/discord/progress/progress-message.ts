import { createHash } from 'node:crypto';
import type { Store } from '../../../../store/store.js';
import { type DiscordApi, DiscordProblem, silent } from '../discord-api.js';
import { customId } from '../interactions/custom-id.js';
import type { ButtonRow } from '../interactions/permission-message.js';
import { idAt } from '../snowflake.js';
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
const editsForTimeMs = 5000;
const longestPauseMs = 30_000;
/** After one of these there is no message (any more), or none that we may remove. */
const gone: ReadonlySet<number | undefined> = new Set([10003, 10008, 50001, 50013]);

export interface Shown {
  readonly turnId: string;
  readonly state: string;
  /** True while a question is open: the question is what people should see last. */
  readonly waitsForPerson: boolean;
  render(now: number): string;
}

export interface ShowParts extends MessageParts {
  readonly channelId: string;
  /** The message that it replies to, in Discord's words. */
  readonly reply: object;
  /** Told the nonce of each message before it is sent. */
  readonly sends: (nonce: string) => void;
}

/**
 * Sends a progress message and edits it until the signal is aborted. While a question is open there is none, and then a new one
 * below it. Its id is on disk, so that the next gateway can remove it. Requests are given up with the signal: answers of the
 * channel would wait behind one that hangs.
 */
export async function showProgress(parts: ShowParts, view: Shown, signal: AbortSignal): Promise<void> {
  const { api, store, editMs, channelId } = parts;
  for (let number = 0; ; number++) {
    while (view.waitsForPerson) if (!(await wait(editMs, signal))) return;
    const id = await showOne(parts, view, signal, number);
    if (id === undefined || signal.aborted) return;
    await api.remove(channelId, id);
    await store.forgetDiscordProgress(channelId);
  }
}

/** Returns the id of its message when a question is opened; undefined when the signal is aborted. */
async function showOne(
  { api, store, now, editMs, channelId, reply, sends }: ShowParts,
  view: Shown,
  signal: AbortSignal,
  number: number,
): Promise<string | undefined> {
  const firstTriedAt = now();
  const nonce = nonceOf(channelId, number === 0 ? view.turnId : `${view.turnId} ${number}`);
  sends(nonce);
  await store.saveDiscordProgress({ channelId, nonce, firstTriedAt });
  let shown = { turnId: view.turnId, state: view.state };
  const bodyNow = (at: number) => ({
    content: view.render(at),
    components: stopButton(view.turnId),
    allowed_mentions: { parse: [] },
  });
  // No notification: the answer makes one.
  const body = { ...bodyNow(now()), ...reply, nonce, enforce_nonce: true, flags: silent };
  const { id } = await api.send(channelId, body, [], signal);
  await store.saveDiscordProgress({ channelId, nonce, firstTriedAt, messageId: id });
  let [pause, editedAt] = [editMs, now()];
  // One edit at a time, always of the newest state: the slower Discord is, the fewer they are.
  while (await wait(pause, signal)) {
    if (view.waitsForPerson) return id;
    const isSame = view.state === shown.state && view.turnId === shown.turnId;
    if (isSame && now() - editedAt < editsForTimeMs) continue;
    const begun = performance.now();
    shown = { turnId: view.turnId, state: view.state };
    editedAt = now();
    try {
      await api.edit(channelId, id, bodyNow(editedAt), signal);
      pause = Math.max(editMs, 2 * (performance.now() - begun));
    } catch (error) {
      // Discord may be in trouble for a while: the turn goes on, and so does its message.
      if (!(error instanceof DiscordProblem) || gone.has(error.code)) throw error;
      pause = Math.min(2 * Math.max(pause, editMs), longestPauseMs);
    }
  }
  return undefined;
}

function stopButton(turnId: string): ButtonRow[] {
  const button = { type: 2, style: 2, label: 'Stop', custom_id: customId({ type: 'stop', turnId }) } as const;
  return [{ type: 1, components: [button] }];
}

/** Leaves the channel's progress message as it is to stay. False if there is none. */
export async function leaveProgress(
  { api, store }: MessageParts,
  channelId: string,
  content: string,
): Promise<boolean> {
  const known = (await store.discordProgress()).find((progress) => progress.channelId === channelId);
  if (known?.messageId === undefined) return false;
  await api.edit(channelId, known.messageId, { content, components: [], allowed_mentions: { parse: [] } });
  await store.forgetDiscordProgress(channelId);
  return true;
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
    await api.edit(channelId, id, { content: doneText, components: [], allowed_mentions: { parse: [] } });
  }
}

/** A message whose id was not written down: the gateway has died while it was sent, or has given the request up. */
async function find(
  api: MessageParts['api'],
  channelId: string,
  botId: string,
  firstTriedAt: number,
): Promise<string | undefined> {
  const after = idAt(firstTriedAt - 60_000);
  const messages = await api.messages(channelId, { after, limit: 100 });
  return messages.find((message) => message.author.id === botId && isProgress(message))?.id;
}
