import type { ChannelView } from '../src/gateway/channels/http/wire.js';
import { ApiError, api } from './api.js';
import { Cell } from './cell.js';
import { randomKey } from './conversation/outgoing.js';
import { ChannelFollower } from './feed/follow.js';
import { session } from './session.js';

/** The conversations, the one with the newest message first; undefined until they were read. */
export const channels = new Cell<readonly ChannelView[] | undefined>(undefined);

/** True while the gateway can't be reached: what runs or waits is not known then. */
export const unreachable = new Cell(false);

export interface Found {
  /** What was looked for. */
  readonly words: string;
  readonly channels: readonly ChannelView[];
}

/** Undefined while nothing is looked for. */
export const found = new Cell<Found | undefined>(undefined);

const restMs = 400;
const pollMs = 20_000;
let isPlanned = false;

/** Reads the list again soon: many changes at once are one request. */
export function channelsChanged(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(async () => {
    isPlanned = false;
    await readChannels();
  }, restMs);
}

let asked = 0;
let shown = 0;

export async function readChannels(): Promise<void> {
  asked += 1;
  const mine = asked;
  try {
    const { channels: read } = await api.channels({});
    // An answer that was overtaken by a later one is older: what it has not yet would seem to come up again.
    if (mine < shown) return;
    shown = mine;
    unreachable.set(false);
    channels.set(read);
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) unreachable.set(true);
    // The list stays as it was; the conversation says that the gateway can't be reached.
  }
}

/** Reads the list from time to time, for where no stream tells of changes. Returns how to end that. */
export function watchChannels(): () => void {
  const read = () => {
    // Also while the page is hidden: its title tells of questions.
    if (session.value === 'open') void readChannels();
  };
  read();
  const poll = setInterval(read, pollMs);
  const unwatch = session.watch(read);
  document.addEventListener('visibilitychange', read);
  return () => {
    clearInterval(poll);
    unwatch();
    document.removeEventListener('visibilitychange', read);
  };
}

/**
 * Keeps the list up to date with a stream of its own, for the views without a conversation: the stream of a conversation in
 * which nothing is said. Returns how to end that.
 */
export function followChannels(): () => void {
  const follower = new ChannelFollower(newChannel(), {
    frames: () => undefined,
    opened: channelsChanged,
    others: channelsChanged,
    failed: () => void readChannels(),
  });
  return () => follower.close();
}

export async function searchChannels(words: string, signal: AbortSignal): Promise<void> {
  if (words === '') return found.set(undefined);
  try {
    found.set({ words, channels: (await api.channels({ search: words }, signal)).channels });
  } catch {
    if (!signal.aborted) found.set({ words, channels: [] });
  }
}

/** A channel need not be made: an id that nobody has is enough. */
export function newChannel(): string {
  const day = new Date().toISOString().slice(0, 10);
  return `chat-${day}-${randomKey().slice(0, 6)}`;
}
