import type { ChatEvent, PermissionDecision, Usage } from '../core/chat-event.js';
import type {
  AgentChoice,
  ChangingTurn,
  ChannelDigest,
  ChannelOverview,
  ChannelPlace,
  ChannelState,
  ContextUsed,
  ConversationMessage,
  Delivery,
  EventKind,
  Failure,
  FinalState,
  MessageOutline,
  Role,
  StoreCounts,
  StoredEvent,
  StoredMessage,
  StoredPermission,
  StoredSession,
  StoredTurn,
  TreeChange,
  TurnOutline,
  TurnSetup,
  TurnStatistics,
  UsageRow,
} from './rows.js';

/**
 * Holds the durable state. It is SQLite in one file today, Postgres for several hosts later: both pass
 * `tests/contract/store-contract.ts`.
 *
 * Words: an *event* is one message that came in. A *turn* is one attempt to answer one event, or several of them
 * together. A *lease* is the right to write about a running turn; its *fence* grows with every holder, so that a
 * former holder that comes back can't write any more. All times are ms since 1970, given by the caller.
 *
 * Every method that changes something resolves when the change is on disk, and changes all or nothing.
 */
export interface Store {
  // Messages in

  /**
   * Stores a message, and does what it does to the queue in the same transaction. The same message id of the same source
   * and channel twice is one event, even a removed one: nothing is done a second time.
   */
  accept(event: NewEvent, options: AcceptOptions): Promise<Accepted>;

  // Turns: per channel first in, first out, one at a time

  /** Begins turns: at most `limit`, the head of each channel that has none running, the least recently served first. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /**
   * Takes waiting prompts of the lease's channel into its turn, in order: up to the first command, or the first one with a
   * turn of its own, or only `only`.
   */
  join(lease: Lease, request: JoinRequest): Promise<readonly StoredEvent[]>;
  /** Puts an event that had joined back in front of the waiting ones. */
  leave(lease: Lease, eventId: string): Promise<void>;
  /** Adds a step to the turn's journal, so that a crash can't hide it. */
  journal(lease: Lease, entry: JournalEntry): Promise<void>;
  /** Prolongs the leases; returns those that are lost. */
  heartbeat(leases: readonly Lease[], leaseUntil: number): Promise<readonly Lease[]>;
  /** Ends the turn and all its events, with answer, notices, session and outbox in one transaction. */
  finish(lease: Lease, outcome: TurnOutcome): Promise<void>;
  /** Ends the attempt. Its events wait again, in front of their channel, until `notBefore`. */
  postpone(lease: Lease, retry: Postponement): Promise<void>;
  /** Takes over turns of other workers whose lease has run out, or, with `all`, all of them. Never `worker`'s own. */
  takeOver(request: TakeOverRequest): Promise<readonly AbandonedTurn[]>;
  /** Ends waiting events of a channel (all, or those in `only`) as cancelled; returns their ids. */
  cancelWaiting(request: CancelRequest): Promise<readonly string[]>;
  /** The earliest time at which a channel that waits for a retry can go on. */
  nextDue(): Promise<number | undefined>;

  // Answers out

  /** Puts a message of the gateway that belongs to no turn's end into the conversation and the outbox. */
  post(message: NewMessage, at: number): Promise<StoredMessage>;
  /** The messages that still have to be delivered: of each channel only the oldest, so that order is kept. */
  undelivered(request: UndeliveredRequest): Promise<readonly Delivery[]>;
  delivered(ids: readonly number[], at: number): Promise<void>;
  /** Records a failed delivery: it is tried again at `notBefore`, or given up if that is undefined. */
  notDelivered(id: number, failure: { readonly error: string; readonly notBefore?: number }): Promise<void>;

  // Permissions

  /** Records a question of the turn. One that was asked before a crash (same event, tool and input) keeps its id. */
  askPermission(lease: Lease, request: NewPermission): Promise<StoredPermission>;
  /** Answers a pending request; undefined if none is pending with that id. */
  decidePermission(id: string, answer: PermissionAnswer): Promise<StoredPermission | undefined>;
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  /** All questions of a turn, answered ones too. */
  questions(turnId: string): Promise<readonly StoredPermission[]>;
  permission(id: string): Promise<StoredPermission | undefined>;

  // Conversations

  /** The vendor's session of a channel with a backend. */
  session(channel: string, backend: string): Promise<StoredSession | undefined>;
  saveSession(session: StoredSession): Promise<void>;
  forgetSession(channel: string, backend: string): Promise<void>;
  /** The sessions that channels go on with. */
  sessions(): Promise<readonly StoredSession[]>;
  /**
   * The channel begins a new conversation with a session that a CLI has made by itself, and a message says so. Nothing is
   * changed if a turn runs or waits in the channel (`busy`), or a channel goes on with the session already (`taken`).
   */
  adoptSession(adoption: Adoption, at: number): Promise<'adopted' | 'busy' | 'taken'>;
  channel(channel: string): Promise<ChannelState>;
  changeChannel(channel: string, change: ChannelChange): Promise<void>;
  channels(): Promise<readonly ChannelOverview[]>;
  channelNames(): Promise<readonly string[]>;
  /** The channel with the newest message first; those of `only`, or all. */
  channelDigests(query: DigestQuery): Promise<readonly ChannelDigest[]>;
  /**
   * The messages of a channel, oldest first: the first ones behind `after`, or the last ones in front of `before`. Both are
   * ids of messages.
   */
  messages(channel: string, page: MessagePage): Promise<readonly StoredMessage[]>;
  /**
   * The messages of the present conversation behind event `after`, of events that an agent has answered or failed to
   * answer (not of cancelled ones): the newest `limit`, oldest first. Each prompt's own text (scheduled ones too), then
   * the answer, or the notice at the end of one that failed.
   */
  conversation(channel: string, page: ConversationPage): Promise<readonly ConversationMessage[]>;

  /** Messages of all channels, newest first, each with the beginning of its text. */
  newestMessages(page: NewestPage): Promise<readonly StoredMessage[]>;

  // Looking

  /** The event, as long as it is known: a removed one, too. */
  event(id: string): Promise<StoredEvent | undefined>;
  eventOf(source: string, channel: string, messageId: string): Promise<StoredEvent | undefined>;
  /** The ended turns of the present conversation in which an agent was asked, oldest first. */
  changingTurns(channel: string): Promise<readonly ChangingTurn[]>;
  /** All trees that turns name, of the work tree with this real path, oldest first. */
  treesOf(cwd: string): Promise<readonly string[]>;
  /** The turns of an event, oldest first. */
  turns(eventId: string): Promise<readonly StoredTurn[]>;
  /** The turns of a channel from `seq` on, running ones too, oldest first. */
  turnsFrom(channel: string, seq: number, limit: number): Promise<readonly TurnOutline[]>;
  runningTurn(channel: string): Promise<TurnOutline | undefined>;
  /** The context of a channel's present session with a backend, as the last of its recent turns told that tells it. */
  contextUsed(channel: string, backend: string): Promise<ContextUsed | undefined>;
  /** A channel's newest message, and its newest turn that has ended. */
  lastOf(channel: string): Promise<ChannelPlace>;
  /** True if the message and the turn are (still) the channel's, and the same ones; 0 stands for its beginning. */
  holds(channel: string, place: ChannelPlace): Promise<boolean>;
  /** The beginning of the first prompt of a channel's present conversation. */
  firstPrompt(channel: string): Promise<string | undefined>;
  /** What a channel's next message is about, without its text. */
  nextMessage(channel: string, after: number): Promise<MessageOutline | undefined>;
  /** A part of a turn's archive, from 0 on; undefined behind the last one. */
  archivedPart(turnId: string, part: number): Promise<readonly ChatEvent[] | undefined>;
  /** The archived events of a turn, from the first on: about `maxCharacters` of JSON, if that is given. */
  turnEvents(turnId: string, maxCharacters?: number): Promise<readonly ChatEvent[]>;
  /** Turns of a channel (or of all) that ended in [since, until), oldest first. */
  turnsEnded(range: TurnRange): Promise<readonly StoredTurn[]>;
  waiting(channel: string, limit: number): Promise<readonly StoredEvent[]>;
  /** The first ones of a channel that wait, each with the beginning of its text. */
  waitingOutlines(channel: string, limit: number): Promise<readonly StoredEvent[]>;
  /** The events of all channels that wait, in the order of their arrival, each with the beginning of its text. */
  waitingEverywhere(limit: number): Promise<readonly StoredEvent[]>;
  countWaiting(channel: string): Promise<number>;
  running(channel?: string): Promise<readonly StoredTurn[]>;
  /**
   * The newest prompt of a channel that ended as failed or cancelled, unless it was answered by a `/retry`, or something
   * else that came after its end was.
   */
  lastUnanswered(channel: string): Promise<StoredEvent | undefined>;
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** The turns of agents that ended in [since, until), by backend or channel. */
  statistics(query: StatisticsSlice): Promise<readonly TurnStatistics[]>;
  /** The number of such turns of each backend or channel. */
  countTurns(query: StatisticsSlice): Promise<readonly { readonly key: string; readonly turns: number }[]>;
  /** The end of the turn behind the first `count` that ended at `since` or later; undefined if there are no more. */
  endOfTurn(since: number, count: number): Promise<number | undefined>;
  /** The models of the newest 2,000 turns, the last used one first. */
  modelsUsed(): Promise<readonly { readonly backend: string; readonly model: string }[]>;
  counts(): Promise<StoreCounts>;

  // Schedules

  lastRun(schedule: string): Promise<number | undefined>;
  saveRun(schedule: string, at: number): Promise<void>;

  // Housekeeping

  /**
   * Removes messages, turns, events and delivered outbox rows that ended before `before`, but nothing that waits, runs or
   * is undelivered. The messages of removed events are still known by their ids, except of those that ended before
   * `keysBefore`. It works in many small steps: the only method that is not all or nothing.
   */
  prune(cut: PruneCut): Promise<{ readonly events: number; readonly messages: number }>;
  /** Writes something without a meaning, to find out whether the store can be written. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface NewEvent {
  readonly channel: string;
  /** The origin: `http`, `heartbeat`, `cron`, … */
  readonly source: string;
  readonly kind: EventKind;
  /** The message's id at its origin. Without one, every message is an event of its own. */
  readonly messageId?: string | undefined;
  readonly text: string;
  readonly author?: string | undefined;
  /** What its sender tells the agent beside the text, for the turn's system prompt. */
  readonly instructions?: string | undefined;
  readonly agent?: AgentChoice | undefined;
  readonly queueMode?: string | undefined;
  /** The role of the text in the conversation. Default `user`. */
  readonly role?: Role | undefined;
  readonly at: number;
  /** The schedule that this is a run of. The run is stored together with the event. */
  readonly schedule?: { readonly name: string; readonly runAt: number } | undefined;
}

export interface AcceptOptions {
  /** The limit of events that wait in all channels together; one more is stored as refused. */
  readonly maxWaiting: number;
  /**
   * The outcome of a message that needs no turn: the event ends at once. It may depend on the ids of the events that the
   * message has cancelled.
   */
  readonly settled?: ImmediateOutcome | ((cancelled: readonly string[]) => ImmediateOutcome) | undefined;
  /** Waiting events that the message ends, unless it is refused. */
  readonly cancels?: readonly CancelRequest[] | undefined;
  /** A running turn that is going to be stopped, noted as its `stopReason`: after a crash it is not run again. */
  readonly stops?: { readonly turnId: string; readonly by: string } | undefined;
  /**
   * What was said elsewhere before the message, oldest first. In a channel without any event it is the beginning of the
   * conversation; in any other it counts as known.
   */
  readonly history?: readonly HistoryMessage[] | undefined;
}

export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export type ImmediateOutcome = Omit<TurnOutcome, 'events' | 'usage'>;

export interface Accepted {
  readonly event: StoredEvent;
  /** True if the message was stored before. */
  readonly repeated: boolean;
  /** The events that the message has cancelled, if any. */
  readonly cancelled?: readonly string[] | undefined;
}

export interface ClaimRequest {
  /** The name of the one who claims: no other process has it. */
  readonly worker: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  /** The longest that a retry may wait: one that is due later than that was put off by a clock that is set back by now. */
  readonly longestWaitMs?: number | undefined;
}

export interface Lease {
  readonly turnId: string;
  readonly channel: string;
  readonly fence: number;
}

export interface Claim {
  readonly lease: Lease;
  readonly event: StoredEvent;
}

export interface JoinRequest {
  readonly limit: number;
  /** Only this event joins, and only if it is the first that waits. */
  readonly only?: string | undefined;
}

export type JournalEntry =
  | ({ readonly type: 'began' } & TurnSetup)
  | { readonly type: 'session'; readonly sessionId: string; readonly model?: string | undefined }
  | {
      readonly type: 'tool_started';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly at: number;
    }
  | {
      readonly type: 'tool_ended';
      readonly id: string;
      readonly isError: boolean;
      readonly denied?: boolean | undefined;
      readonly at: number;
    };

export interface TurnOutcome {
  readonly at: number;
  readonly state: FinalState;
  /** The text that `GET /v1/events/:id` shows. */
  readonly responseText?: string | undefined;
  readonly error?: Failure | undefined;
  /** The messages go into the conversation and the outbox, in this order. */
  readonly messages: readonly OutcomeMessage[];
  /** The session to go on with. Undefined changes nothing (R10.4). */
  readonly session?:
    | { readonly backend: string; readonly sessionId: string; readonly cwd: string }
    | undefined;
  /** The backend whose session is of no use any more. */
  readonly forgetSession?: string | undefined;
  readonly channelChange?: ChannelChange | undefined;
  readonly usage?: Usage | undefined;
  readonly stopReason?: string | undefined;
  /** The trees before and after the turn, if a tool had begun and both could be taken. */
  readonly changes?: TreeChange | undefined;
  /** The turn's events, for the archive. */
  readonly events: readonly ChatEvent[];
}

export interface OutcomeMessage {
  readonly role: 'assistant' | 'system';
  readonly text: string;
  readonly backend?: string | undefined;
}

export interface Postponement {
  readonly at: number;
  readonly notBefore: number;
  readonly error: Failure;
  /** True if the attempt does not count: it ended by a drain or a crash of the gateway, not by a failure. */
  readonly free?: boolean | undefined;
  /** True if the attempt is counted among the crashes. */
  readonly crashed?: boolean | undefined;
  readonly forgetSession?: string | undefined;
  /** Messages for the conversation and the outbox, in this order. */
  readonly messages?: readonly OutcomeMessage[] | undefined;
  /** The usage of the attempt. */
  readonly usage?: Usage | undefined;
  readonly changes?: TreeChange | undefined;
  readonly events: readonly ChatEvent[];
}

export interface TakeOverRequest {
  readonly worker: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** True if the caller knows that no other worker is alive. */
  readonly all: boolean;
}

export interface AbandonedTurn {
  /** A new lease: the former holder's is void. */
  readonly lease: Lease;
  readonly turn: StoredTurn;
  readonly events: readonly StoredEvent[];
}

export interface CancelRequest {
  readonly channel: string;
  readonly at: number;
  readonly error: Failure;
  readonly only?: readonly string[] | undefined;
  /** True ends prompts only: commands go on waiting. */
  readonly promptsOnly?: boolean | undefined;
  /** A notice that goes into the conversation behind the last cancelled event, if there were any. */
  readonly notice?: string | undefined;
}

export interface UndeliveredRequest {
  readonly now: number;
  readonly limit: number;
  /** As in `ClaimRequest`. */
  readonly longestWaitMs?: number | undefined;
}

export interface NewMessage {
  readonly channel: string;
  /** The `Delivery.source`. Default: the event's. */
  readonly source?: string | undefined;
  readonly eventId?: string | undefined;
  readonly role: Role;
  readonly text: string;
  readonly backend?: string | undefined;
}

export interface MessagePage {
  readonly after?: number | undefined;
  /** Then the page ends in front of this message, and `after` does not count. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface NewestPage {
  readonly before?: number | undefined;
  readonly limit: number;
  /** The most characters of a text that are read. */
  readonly maxCharacters: number;
}

export interface DigestQuery {
  readonly only?: readonly string[] | undefined;
  readonly limit: number;
}

export interface ConversationPage {
  /** The seq of an event: a session's `seen`. (Not a message's id: waiting messages are stored before a running answer.) */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Only messages from before this event, and none of its own. */
  readonly beforeSeq?: number | undefined;
}

export interface NewPermission {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  readonly at: number;
}

export interface PermissionAnswer {
  readonly decision: PermissionDecision;
  readonly message?: string | undefined;
  readonly at: number;
}

/** `null` takes a setting back. */
export interface ChannelChange {
  readonly backend?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly queueMode?: string | null | undefined;
  /** Forgets the channel's sessions and starts the conversation anew. */
  readonly newConversation?: boolean | undefined;
}

export interface Adoption {
  readonly session: Omit<StoredSession, 'seen'>;
  readonly change: Omit<ChannelChange, 'newConversation'>;
  /** The message. */
  readonly text: string;
}

export interface PruneCut {
  readonly before: number;
  readonly keysBefore: number;
}

export interface TurnRange {
  readonly channel?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

export interface UsageQuery {
  readonly channel?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly by: 'day' | 'backend' | 'channel' | 'model';
}

export interface StatisticsSlice {
  readonly by: 'backend' | 'channel';
  readonly since: number;
  readonly until: number;
  /** Only these backends or channels. */
  readonly only?: readonly string[] | undefined;
}
