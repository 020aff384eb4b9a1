import type { MessageOutline, TurnOutline } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { type RecordedEvent, readEvents, type TurnRecorder } from '../archive/turn-recorder.js';
import type { FeedPosition } from '../channels/feed-position.js';
import type { ChannelStatus, FeedEntry, FollowOptions } from '../channels/types.js';
import { Follower } from './follower.js';

/** A turn that runs in this process. */
export interface LiveTurn {
  readonly turnId: string;
  readonly record: TurnRecorder;
}

export interface FeedParts {
  readonly store: Pick<
    Store,
    'messages' | 'nextMessage' | 'turnsFrom' | 'runningTurn' | 'archivedPart' | 'lastOf' | 'holds'
  >;
  status(channel: string): Promise<ChannelStatus>;
  /** Called when somebody begins to follow a channel. */
  readonly onFollowed?: ((channel: string) => void) | undefined;
}

/** So many events of a record are read at once. */
const batch = 50;

/**
 * The live view of all channels. Nothing is kept for a reader but its position: the record of the running turn, which the
 * archive needs anyway, and the store behind it are what everybody reads from. So no reader slows a turn down, and one that
 * comes late, or again, misses nothing and sees nothing twice.
 */
export class Feed {
  readonly #parts: FeedParts;
  readonly #live = new Map<string, LiveTurn>();
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #watchers = new Set<Follower>();
  /** The status that all followers of a channel share until something changes. */
  readonly #statuses = new Map<string, Promise<ChannelStatus>>();
  #closed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  turnBegan(channel: string, turn: LiveTurn): void {
    this.#live.set(channel, turn);
    this.changed(channel);
  }

  /** The running turn has said or done more. */
  turnGrew(channel: string): void {
    for (const follower of this.#followers.get(channel) ?? []) follower.grew();
  }

  /** The turn's settlement is on disk, with its record. */
  turnEnded(channel: string, turnId: string): void {
    if (this.#live.get(channel)?.turnId === turnId) this.#live.delete(channel);
    this.changed(channel);
  }

  /** Something about the channel has changed in the store. */
  changed(channel: string): void {
    this.#statuses.delete(channel);
    for (const follower of this.#followers.get(channel) ?? []) follower.changed();
    for (const watcher of this.#watchers) watcher.otherChanged(channel);
  }

  /** The channel's status has changed, and nothing that is read behind a position. */
  statusChanged(channel: string): void {
    this.#statuses.delete(channel);
    for (const follower of this.#followers.get(channel) ?? []) follower.statusChanged();
    for (const watcher of this.#watchers) watcher.otherChanged(channel);
  }

  close(): void {
    this.#closed = true;
    for (const followers of this.#followers.values()) for (const follower of followers) follower.end();
  }

  async *follow(
    channel: string,
    { from, others = false, signal }: FollowOptions,
  ): AsyncGenerator<FeedEntry, void, undefined> {
    const follower = new Follower();
    const end = () => follower.end();
    const followers = this.#followers.get(channel) ?? new Set();
    this.#followers.set(channel, followers.add(follower));
    if (others) this.#watchers.add(follower);
    if (this.#closed || signal.aborted) follower.end();
    signal.addEventListener('abort', end);
    try {
      this.#parts.onFollowed?.(channel);
      yield* this.#read(channel, follower, from);
    } finally {
      signal.removeEventListener('abort', end);
      this.#watchers.delete(follower);
      followers.delete(follower);
      if (followers.size === 0) {
        this.#followers.delete(channel);
        this.#statuses.delete(channel);
      }
    }
  }

  async *#read(
    channel: string,
    follower: Follower,
    from: FeedPosition | undefined,
  ): AsyncGenerator<FeedEntry> {
    const start = await this.#start(channel, from);
    let { position } = start;
    yield { type: start.isReset ? 'reset' : 'start', position };
    for (;;) {
      const news = await follower.next();
      if (news === undefined) return;
      if (news.status) yield { type: 'status', status: await this.#status(channel) };
      const entries = news.stored ? this.#stored(channel, position) : this.#grown(channel, position);
      position = yield* told(entries, position);
      if (news.others.length > 0) yield { type: 'others', channels: news.others };
    }
  }

  /** Without a position, the turn that runs is told from its beginning, and otherwise what comes. */
  async #start(
    channel: string,
    from: FeedPosition | undefined,
  ): Promise<{ readonly position: FeedPosition; readonly isReset: boolean }> {
    const { store } = this.#parts;
    if (from !== undefined && (await store.holds(channel, from))) return { position: from, isReset: false };
    const position = { ...(await store.lastOf(channel)), index: 'ended', offset: 0 } as const;
    return { position, isReset: from !== undefined };
  }

  /** What the store has behind the position, an answer behind its turn. */
  async *#stored(channel: string, from: FeedPosition): AsyncGenerator<FeedEntry & Placed> {
    const { store } = this.#parts;
    let position = from;
    const [first] = await store.turnsFrom(channel, from.index === 'ended' ? from.turn + 1 : from.turn, 1);
    let turn: TurnOutline | undefined = first;
    const passTurn = async function* (feed: Feed): AsyncGenerator<FeedEntry & Placed> {
      if (turn === undefined) return;
      for await (const entry of feed.#turn(turn, position)) {
        position = entry.position;
        yield entry;
      }
      // A turn that goes on is the channel's last one.
      [turn] = position.index === 'ended' ? await store.turnsFrom(channel, position.turn + 1, 1) : [];
    };
    if (turn?.seq === from.turn) yield* passTurn(this);
    for (;;) {
      const next = await store.nextMessage(channel, position.message);
      if (next === undefined) break;
      while (turn !== undefined && comesBefore(turn, next)) yield* passTurn(this);
      // One at a time, and not before it is due: a reader that stalls holds on to it, and it may be megabytes long.
      const [message] = await store.messages(channel, { after: position.message, limit: 1 });
      if (message === undefined) break;
      position = { ...position, message: message.id, messageAt: message.createdAt };
      yield { type: 'message', message, position };
    }
    while (turn !== undefined) yield* passTurn(this);
  }

  /** What the running turn has said and done behind the position: no look at the store. */
  async *#grown(channel: string, from: FeedPosition): AsyncGenerator<FeedEntry & Placed> {
    const live = this.#live.get(channel);
    if (live === undefined || from.index === 'ended') return;
    if (this.#turnSeqs.get(live) === from.turn) yield* this.#recorded(live, from);
  }

  /** The seq of each live turn, as the store has told it. */
  readonly #turnSeqs = new WeakMap<LiveTurn, number>();

  async *#turn(turn: TurnOutline, from: FeedPosition): AsyncGenerator<FeedEntry & Placed> {
    let position = from;
    if (from.turn !== turn.seq || from.index === 'ended') {
      position = { ...from, turn: turn.seq, turnAt: turn.startedAt, index: 0, offset: 0 };
      yield { type: 'turn', turn: asItBegan(turn), position };
    }
    if (turn.state === 'running') {
      const live = this.#live.get(turn.channel);
      if (live?.turnId !== turn.id) return;
      this.#turnSeqs.set(live, turn.seq);
      yield* this.#recorded(live, position);
      return;
    }
    for await (const entry of this.#archived(turn.id, position)) {
      position = entry.position;
      yield entry;
    }
    yield { type: 'turn', turn, position: { ...position, index: 'ended', offset: 0 } };
  }

  /** Part by part, so that a reader that stalls holds on to one of them. */
  async *#archived(turnId: string, from: FeedPosition): AsyncGenerator<FeedEntry & Placed> {
    if (from.index === 'ended') return;
    let before = 0;
    for (let part = 0; ; part += 1) {
      const events = await this.#parts.store.archivedPart(turnId, part);
      if (events === undefined) return;
      const index = Math.max(0, from.index - before);
      const offset = from.index >= before ? from.offset : 0;
      for (const { event, next } of readEvents(events, { index, offset }, Number.POSITIVE_INFINITY)) {
        const position = { ...from, index: before + next.index, offset: next.offset };
        yield { type: 'chat', turnId, event, position };
      }
      before += events.length;
    }
  }

  *#recorded({ turnId, record }: LiveTurn, from: FeedPosition): Generator<FeedEntry & Placed> {
    yield* entriesOf(turnId, from, (place) => record.readFrom(place, batch));
  }

  #status(channel: string): Promise<ChannelStatus> {
    const known = this.#statuses.get(channel);
    if (known !== undefined) return known;
    const status = this.#parts.status(channel);
    this.#statuses.set(channel, status);
    status.catch(() => this.#statuses.delete(channel));
    return status;
  }
}

/**
 * Passes the entries on, and returns the position of the last one. By itself, because a generator that waits holds what was
 * last in its loops, which may be megabytes long: this one has ended by then.
 */
async function* told(
  entries: AsyncIterable<FeedEntry & Placed>,
  from: FeedPosition,
): AsyncGenerator<FeedEntry, FeedPosition> {
  let position = from;
  for await (const entry of entries) {
    position = entry.position;
    yield entry;
  }
  return position;
}

interface Placed {
  readonly position: FeedPosition;
}

function* entriesOf(
  turnId: string,
  from: FeedPosition,
  read: (place: { index: number; offset: number }) => readonly RecordedEvent[],
): Generator<FeedEntry & Placed> {
  if (from.index === 'ended') return;
  let place = { index: from.index, offset: from.offset };
  for (;;) {
    const found = read(place);
    for (const { event, next } of found) {
      place = next;
      yield { type: 'chat', turnId, event, position: { ...from, ...next } };
    }
    if (found.length < batch) return;
  }
}

/**
 * True if the turn is told before the message: the message is its answer, or a notice about it, or was written after its end. A turn
 * may have said nothing (its message was dropped before the next attempt), and must not hold up the turns behind it.
 */
function comesBefore({ eventIds, endedAt }: TurnOutline, message: MessageOutline): boolean {
  const { role, eventId, createdAt } = message;
  if (role !== 'user' && eventId !== undefined && eventIds.includes(eventId)) return true;
  return endedAt !== undefined && endedAt <= createdAt;
}

/** A turn is told of twice: when it begins and when it has ended. */
function asItBegan(turn: TurnOutline): TurnOutline {
  const { endedAt: _end, usage: _usage, error: _error, stopReason: _reason, ...began } = turn;
  return { ...began, state: 'running' };
}
