import { ApiError, api } from '../api.js';
import { Cell } from '../cell.js';
import { type Conversation, emptyConversation, type Frame, foldAll } from './conversation.js';
import { ChannelFollower, type Connection } from './follow.js';
import { readTurns } from './read-turns.js';

/** A channel's conversation, kept up to date until it is closed. */
export class ConversationStore {
  readonly channel: string;
  readonly state = new Cell<Conversation>(emptyConversation);
  /** Why the history could not be read, if so. */
  readonly problem = new Cell<string | undefined>(undefined);
  /** Why there can be no such conversation, if so: the address may name one that has no id. */
  readonly refusal = new Cell<string | undefined>(undefined);
  readonly #follower: ChannelFollower;
  readonly #abort = new AbortController();
  #older: Promise<void> | undefined;
  #history: Promise<void> | undefined;

  constructor(channel: string, others: (channels: readonly string[]) => void) {
    this.channel = channel;
    this.#follower = new ChannelFollower(channel, {
      frames: (frames) => this.#take(frames),
      // The stream is open before the history is read: what is said in between comes from both, and counts once.
      opened: (gap) => {
        if (gap || !this.state.value.loaded) this.#readHistory();
      },
      others,
      failed: () => void this.#askWhy(),
    });
  }

  get connection(): Cell<Connection> {
    return this.#follower.connection;
  }

  close(): void {
    this.#abort.abort();
    this.#follower.close();
  }

  /** Reads the page in front of the first message, if there is one. */
  loadOlder(): Promise<void> {
    const { previous } = this.state.value;
    if (previous === undefined || previous === 'none') return Promise.resolve();
    this.#older ??= this.#readPage(previous).finally(() => {
      this.#older = undefined;
    });
    return this.#older;
  }

  /** Reads what was said and done for a message that has ended. Returns why it could not, if so. */
  async loadTurns(eventId: string): Promise<string | undefined> {
    const turns = await readTurns(eventId, this.#abort.signal);
    if (typeof turns === 'string') return turns;
    if (!this.#abort.signal.aborted) this.#take([{ type: 'past', turns }]);
    return undefined;
  }

  #readHistory(): void {
    this.#history ??= this.#readPage(undefined).finally(() => {
      this.#history = undefined;
    });
  }

  async #readPage(before: string | undefined): Promise<void> {
    const { signal } = this.#abort;
    for (let wait = 500; ; wait = Math.min(8000, wait * 2)) {
      try {
        const page = await api.messages(this.channel, before, signal);
        this.problem.set(undefined);
        return this.#take([{ type: 'page', page }]);
      } catch (error) {
        if (signal.aborted) return;
        this.problem.set(error instanceof Error ? error.message : String(error));
        // What is refused for good is refused again: the next stream that opens asks anew.
        if (!(error instanceof ApiError && error.passing)) return;
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (signal.aborted) return;
      }
    }
  }

  #take(frames: readonly Frame[]): void {
    const before = this.state.value;
    const now = foldAll(before, frames);
    this.state.set(now);
    for (const eventId of leftQueue(before, now)) void this.#readEvent(eventId);
    if (frames.some(({ type }) => type === 'reset')) this.#readHistory();
  }

  /** A stream does not say why it can't be opened. The answer to this tells it, also that the session has ended. */
  async #askWhy(): Promise<void> {
    try {
      await api.status(this.channel, this.#abort.signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 400)) return;
      this.refusal.set(error.message);
      this.close();
    }
  }

  async #readEvent(eventId: string): Promise<void> {
    try {
      const { state, attempts } = await api.event(eventId, this.#abort.signal);
      this.#take([{ type: 'event', eventId, state, begun: attempts > 0 }]);
    } catch {
      // It stays as it was last seen.
    }
  }
}

/** The messages that wait no more, and that no turn works on: somebody may have dropped them. */
function leftQueue(before: Conversation, now: Conversation): readonly string[] {
  if (before.status === now.status) return [];
  const known = new Set([
    ...(now.status?.waiting ?? []).map(({ eventId }) => eventId),
    ...(now.status?.running?.eventIds ?? []),
    ...now.turns.flatMap(({ eventIds }) => eventIds),
  ]);
  const waited = before.status?.waiting ?? [];
  return waited.map(({ eventId }) => eventId).filter((eventId) => !known.has(eventId));
}
