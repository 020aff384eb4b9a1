import type { ChatEvent, PermissionDecision, Usage } from '../core/chat-event.js';
import type {
  ChannelOverview,
  ChannelState,
  ConversationMessage,
  Delivery,
  EventKind,
  Failure,
  FinalState,
  Role,
  StoreCounts,
  StoredEvent,
  StoredMessage,
  StoredPermission,
  StoredSession,
  StoredTurn,
  TurnSetup,
  UsageRow,
} from './rows.js';

/**
 * Durable state. SQLite in one file today, Postgres for several hosts later: both pass `tests/contract/store-contract.ts`.
 *
 * The words: an *event* is one message that came in. A *turn* is one attempt to answer one event, or several of them
 * together. A *lease* is the right to write about a running turn; its *fence* grows with every holder, so that one who
 * comes back from the dead can't write any more. All times are ms since 1970, given by the caller.
 *
 * Every method that changes something resolves when the change is on disk, and changes all or nothing.
 */
export interface Store {
  // Messages in

  /** On disk when it resolves. The same message id of the same source and channel twice is one event, a removed one too. */
  accept(event: NewEvent, options: AcceptOptions): Promise<Accepted>;

  // Turns: per channel first in, first out, one at a time

  /** Begins turns: at most `limit`, the head of each channel that has none running, the least recently served first. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Takes waiting prompts of the lease's channel into its turn, in order: up to the first command, or only `only`. */
  join(lease: Lease, request: JoinRequest): Promise<readonly StoredEvent[]>;
  /** Puts an event that had joined back in front of the waiting ones. */
  leave(lease: Lease, eventId: string): Promise<void>;
  /** What is known about the turn so far, so that a crash can't hide it. */
  journal(lease: Lease, entry: JournalEntry): Promise<void>;
  /** Prolongs the leases; the ones that are lost come back. */
  heartbeat(leases: readonly Lease[], leaseUntil: number): Promise<readonly Lease[]>;
  /** Ends the turn and all its events, with answer, notices, session and outbox in one transaction. */
  finish(lease: Lease, outcome: TurnOutcome): Promise<void>;
  /** Ends the attempt. Its events wait again, in front of their channel, until `notBefore`. */
  postpone(lease: Lease, retry: Postponement): Promise<void>;
  /** Takes over turns of other workers whose lease has run out, or, with `all`, all of them. Never `worker`'s own. */
  takeOver(request: TakeOverRequest): Promise<readonly AbandonedTurn[]>;
  /** Ends waiting events of a channel (all, or those named) as cancelled; their ids come back. */
  cancelWaiting(request: CancelRequest): Promise<readonly string[]>;
  /** The earliest time at which a channel that waits for a retry can go on. */
  nextDue(): Promise<number | undefined>;

  // Answers out

  /** What the gateway has to say outside of a turn: into the conversation and the outbox. */
  post(message: NewMessage, at: number): Promise<StoredMessage>;
  /** What still has to be delivered: of each channel only the oldest, so that order is kept. */
  undelivered(request: { readonly now: number; readonly limit: number }): Promise<readonly Delivery[]>;
  delivered(ids: readonly number[], at: number): Promise<void>;
  /** A failed try: again at `notBefore`, or given up when that is undefined. */
  notDelivered(id: number, failure: { readonly error: string; readonly notBefore?: number }): Promise<void>;

  // Permissions

  /** Records a question of the turn. One that was asked before a crash (same event, tool and input) keeps its id. */
  askPermission(lease: Lease, request: NewPermission): Promise<StoredPermission>;
  /** Answers a pending one; undefined when there is none pending with that id. */
  decidePermission(id: string, answer: PermissionAnswer): Promise<StoredPermission | undefined>;
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  permission(id: string): Promise<StoredPermission | undefined>;

  // Conversations

  /** The vendor's session of a channel with a backend. */
  session(channel: string, backend: string): Promise<StoredSession | undefined>;
  saveSession(session: StoredSession): Promise<void>;
  forgetSession(channel: string, backend: string): Promise<void>;
  channel(channel: string): Promise<ChannelState>;
  changeChannel(channel: string, change: ChannelChange): Promise<void>;
  channels(): Promise<readonly ChannelOverview[]>;
  /** Oldest first. `after` is a message's id. */
  messages(channel: string, page: MessagePage): Promise<readonly StoredMessage[]>;
  /**
   * What was said in the present conversation behind event `after`, by events that an agent has answered or failed to
   * (not by cancelled ones): newest `limit`, oldest first. Each prompt's own text (scheduled ones too), then the answer,
   * or what was said at the end of one that failed.
   */
  conversation(channel: string, page: ConversationPage): Promise<readonly ConversationMessage[]>;

  // Looking

  /** As long as it is known: a removed one, too. */
  event(id: string): Promise<StoredEvent | undefined>;
  eventOf(source: string, channel: string, messageId: string): Promise<StoredEvent | undefined>;
  /** The turns of an event, oldest first. */
  turns(eventId: string): Promise<readonly StoredTurn[]>;
  /** What happened in a turn, as it was archived. */
  turnEvents(turnId: string): Promise<readonly ChatEvent[]>;
  /** Turns of a channel (or of all) that ended in [since, until), oldest first. */
  turnsEnded(range: TurnRange): Promise<readonly StoredTurn[]>;
  waiting(channel: string, limit: number): Promise<readonly StoredEvent[]>;
  countWaiting(channel: string): Promise<number>;
  running(channel?: string): Promise<readonly StoredTurn[]>;
  /**
   * The newest prompt of a channel that ended as failed or cancelled, unless it was answered by a `/retry`, or something
   * else that came after its end was.
   */
  lastUnanswered(channel: string): Promise<StoredEvent | undefined>;
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  counts(): Promise<StoreCounts>;

  // Schedules

  lastRun(schedule: string): Promise<number | undefined>;
  saveRun(schedule: string, at: number): Promise<void>;

  // Housekeeping

  /**
   * Removes what ended before: messages, turns, events, delivered outbox rows. Nothing that waits, runs or is
   * undelivered. The messages of removed events are still known by their ids, except of those that ended before
   * `keysBefore`. In many small steps: the only method that is not all or nothing.
   */
  prune(cut: PruneCut): Promise<{ readonly events: number; readonly messages: number }>;
  close(): Promise<void>;
}

export interface NewEvent {
  readonly channel: string;
  /** Where it came from: `http`, `heartbeat`, `cron`, … */
  readonly source: string;
  readonly kind: EventKind;
  /** The message's id where it came from. Without one, every message is an event of its own. */
  readonly messageId?: string | undefined;
  readonly text: string;
  readonly author?: string | undefined;
  /** How the text is shown in the conversation. Default `user`. */
  readonly role?: Role | undefined;
  readonly at: number;
  /** The schedule that this is a run of: remembered together with the event. */
  readonly schedule?: { readonly name: string; readonly runAt: number } | undefined;
}

export interface AcceptOptions {
  /** So many events may wait in all channels together; one more is kept as refused. */
  readonly maxWaiting: number;
  /** For what needs no turn: the event ends at once, in the same transaction. */
  readonly settled?: Omit<TurnOutcome, 'events' | 'usage'> | undefined;
}

export interface Accepted {
  readonly event: StoredEvent;
  /** It was there already. */
  readonly repeated: boolean;
}

export interface ClaimRequest {
  /** Who claims: a name that no other process has. */
  readonly worker: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
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
  /** Just this event, and only when it is the first that waits. */
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
  | { readonly type: 'tool_ended'; readonly id: string; readonly isError: boolean; readonly at: number };

export interface TurnOutcome {
  readonly at: number;
  readonly state: FinalState;
  /** What `GET /v1/events/:id` shows. */
  readonly responseText?: string | undefined;
  readonly error?: Failure | undefined;
  /** Said into the conversation and put into the outbox, in this order. */
  readonly messages: readonly OutcomeMessage[];
  /** The session to go on with. Undefined changes nothing (R10.4). */
  readonly session?:
    | { readonly backend: string; readonly sessionId: string; readonly cwd: string }
    | undefined;
  /** The session of this backend is of no use any more. */
  readonly forgetSession?: string | undefined;
  readonly channelChange?: ChannelChange | undefined;
  readonly usage?: Usage | undefined;
  readonly stopReason?: string | undefined;
  /** For the archive. */
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
  /** The attempt does not count: a drain or a crash of the gateway, not a failure. */
  readonly free?: boolean | undefined;
  /** It is counted among the crashes instead. */
  readonly crashed?: boolean | undefined;
  readonly forgetSession?: string | undefined;
  /** What the attempt has cost. */
  readonly usage?: Usage | undefined;
  readonly events: readonly ChatEvent[];
}

export interface TakeOverRequest {
  readonly worker: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** The caller knows that nobody else is alive. */
  readonly all: boolean;
}

export interface AbandonedTurn {
  /** A new one: the former holder's is void. */
  readonly lease: Lease;
  readonly turn: StoredTurn;
  readonly events: readonly StoredEvent[];
}

export interface CancelRequest {
  readonly channel: string;
  readonly at: number;
  readonly error: Failure;
  readonly only?: readonly string[] | undefined;
  /** Said into the conversation behind the last of them, when there were any. */
  readonly notice?: string | undefined;
}

export interface NewMessage {
  readonly channel: string;
  /** For `Delivery.source`. Default: the event's. */
  readonly source?: string | undefined;
  readonly eventId?: string | undefined;
  readonly role: Role;
  readonly text: string;
  readonly backend?: string | undefined;
}

export interface MessagePage {
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface ConversationPage {
  /** The seq of an event: a session's `seen`. (Not a message's id: what waits is written before the answer to what runs.) */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Only what was said before this event came (and by it, nothing). */
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
  readonly queueMode?: string | null | undefined;
  /** Forgets the channel's sessions and starts the conversation anew. */
  readonly newConversation?: boolean | undefined;
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
