import type { ChatEvent, ErrorCode, PermissionDecision, Usage } from '../core/chat-event.js';

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

  /** On disk when it resolves. The same message id of the same source and channel twice is one event. */
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
   * (not by cancelled ones): newest `limit`, oldest first. Each prompt's own text (scheduled ones too), then the answer.
   */
  conversation(channel: string, page: ConversationPage): Promise<readonly StoredMessage[]>;

  // Looking

  event(id: string): Promise<StoredEvent | undefined>;
  eventOf(source: string, channel: string, messageId: string): Promise<StoredEvent | undefined>;
  /** The turns of an event, oldest first. */
  turns(eventId: string): Promise<readonly StoredTurn[]>;
  /** What happened in a turn, as it was archived. */
  turnEvents(turnId: string): Promise<readonly ChatEvent[]>;
  /** Turns of a channel (or of all) that ended in [since, until), oldest first. */
  turnsEnded(range: TurnRange): Promise<readonly StoredTurn[]>;
  waiting(channel: string, limit: number): Promise<readonly StoredEvent[]>;
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
   * undelivered. In many small steps: the only method that is not all or nothing.
   */
  prune(before: number): Promise<{ readonly events: number; readonly messages: number }>;
  close(): Promise<void>;
}

export const finalStates = ['answered', 'refused', 'cancelled', 'failed'] as const;
export type FinalState = (typeof finalStates)[number];
export type EventState = 'queued' | 'running' | FinalState;

/** A prompt goes to the agent; a command is for the gateway itself. */
export type EventKind = 'prompt' | 'command';

/** `user` and `assistant` speak; `system` is the gateway: notices, answers to commands, scheduled prompts. */
export type Role = 'user' | 'assistant' | 'system';

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

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

export interface StoredEvent {
  readonly id: string;
  /** Grows in the order of arrival. */
  readonly seq: number;
  readonly channel: string;
  readonly source: string;
  readonly kind: EventKind;
  readonly messageId?: string | undefined;
  readonly text: string;
  readonly author?: string | undefined;
  readonly state: EventState;
  readonly createdAt: number;
  readonly endedAt?: number | undefined;
  /** Turns that were begun for it. */
  readonly attempts: number;
  /** A retry waits until then. */
  readonly notBefore?: number | undefined;
  /** The turn that runs or ended it. */
  readonly turnId?: string | undefined;
  readonly responseText?: string | undefined;
  /** Why it failed, was refused or cancelled; while it waits: why the last attempt failed. */
  readonly error?: Failure | undefined;
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

/** What a turn was run with. */
export interface TurnSetup {
  readonly backend: string;
  readonly model?: string | undefined;
  readonly cwd: string;
  readonly live: boolean;
  /** The session it resumed. */
  readonly resumed?: string | undefined;
  readonly prompt: PromptRecord;
}

/** Which files made the system prompt, and what was put in front of the message. */
export interface PromptRecord {
  readonly files: readonly PromptFile[];
  readonly characters: number;
  /** sha256 of the assembled system prompt. */
  readonly hash: string;
  /** Messages of the archive that the agent was given, because it had not seen them. */
  readonly seededMessages: number;
}

export interface PromptFile {
  /** Relative to CONFIG_DIR. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

export interface ToolRecord {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly isError?: boolean | undefined;
}

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
  /** The attempt does not count: a drain, not a failure. */
  readonly free?: boolean | undefined;
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
}

export interface StoredTurn {
  readonly id: string;
  readonly channel: string;
  /** The events that it answers, in order. */
  readonly eventIds: readonly string[];
  readonly state: 'running' | 'postponed' | FinalState;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** Absent until the turn has begun to run. */
  readonly setup?: TurnSetup | undefined;
  /** The model that the CLI named, else the one that was asked for. */
  readonly model?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly tools: readonly ToolRecord[];
  readonly usage?: Usage | undefined;
  readonly stopReason?: string | undefined;
  readonly error?: Failure | undefined;
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

export interface StoredMessage {
  readonly id: number;
  readonly channel: string;
  readonly eventId?: string | undefined;
  readonly role: Role;
  readonly text: string;
  readonly backend?: string | undefined;
  readonly createdAt: number;
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

export interface Delivery {
  readonly id: number;
  readonly message: StoredMessage;
  readonly source: string;
  readonly attempts: number;
}

export interface NewPermission {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  readonly at: number;
}

export interface StoredPermission {
  readonly id: string;
  readonly channel: string;
  readonly eventId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  readonly state: 'pending' | 'decided' | 'void';
  readonly decision?: PermissionDecision | undefined;
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly decidedAt?: number | undefined;
}

export interface PermissionAnswer {
  readonly decision: PermissionDecision;
  readonly message?: string | undefined;
  readonly at: number;
}

export interface StoredSession {
  readonly channel: string;
  readonly backend: string;
  readonly sessionId: string;
  /** The directory that it was made in: resumed elsewhere, three of the four CLIs fail or hang. */
  readonly cwd: string;
  /** The seq of the last event that it knows, with its answer. `finish` sets it; a new session knows 0. */
  readonly seen: number;
}

/** What was set in the chat; everything else comes from the settings. */
export interface ChannelState {
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  readonly queueMode?: string | undefined;
  /** The seq of the event behind which the present conversation begins. */
  readonly conversationStart: number;
}

/** `null` takes a setting back. */
export interface ChannelChange {
  readonly backend?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly queueMode?: string | null | undefined;
  /** Forgets the channel's sessions and starts the conversation anew. */
  readonly newConversation?: boolean | undefined;
}

export interface ChannelOverview {
  readonly channel: string;
  readonly waiting: number;
  readonly running: boolean;
  readonly messages: number;
  readonly lastMessageAt?: number | undefined;
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

export interface UsageRow {
  readonly key: string;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly costUsd: number;
}

export interface StoreCounts {
  readonly events: Readonly<Record<EventState, number>>;
  readonly undelivered: number;
  readonly pendingPermissions: number;
  readonly oldestWaitingAt?: number | undefined;
}
