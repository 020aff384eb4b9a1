import type { ChatEvent, Usage } from '../core/chat-event.js';
import type { ChannelChange } from './conversation-store.js';
import type { PermissionAnswer } from './permission-store.js';
import type {
  AgentChoice,
  EventKind,
  Failure,
  FinalState,
  Role,
  StoredEvent,
  StoredPermission,
  StoredTurn,
  TreeChange,
  TurnSetup,
} from './rows.js';

/** The messages that come in, and the turns that answer them: per channel first in, first out, one at a time. */
export interface QueueStore {
  /**
   * Stores a message, and does what it does to the queue in the same transaction. The same message id of the same source
   * and channel twice is one event, even a removed one: nothing is done a second time.
   */
  accept(event: NewEvent, options: AcceptOptions): Promise<Accepted>;
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
  /**
   * Changes the text and the context of a prompt that waits and was never in a turn, the text in the conversation, too. False if it
   * is not one (any more).
   */
  changeWaiting(eventId: string, text: string, context?: string): Promise<boolean>;
  /**
   * Puts such a prompt in front of all others of its channel that wait; only those that are tried again stay in front of it. Its
   * `seq` is another one then, and so are theirs.
   */
  moveToFront(eventId: string): Promise<boolean>;
  /** The earliest time at which a channel that waits for a retry can go on. */
  nextDue(): Promise<number | undefined>;
  /** The event, as long as it is known: a removed one, too. */
  event(id: string): Promise<StoredEvent | undefined>;
  eventOf(source: string, channel: string, messageId: string): Promise<StoredEvent | undefined>;
  waiting(channel: string, limit: number): Promise<readonly StoredEvent[]>;
  /** The first ones of a channel that wait, each with the beginning of its text. */
  waitingOutlines(channel: string, limit: number): Promise<readonly StoredEvent[]>;
  /** The events of all channels that wait, in the order of their arrival, each with the beginning of its text. */
  waitingEverywhere(limit: number): Promise<readonly StoredEvent[]>;
  countWaiting(channel: string): Promise<number>;
  running(channel?: string): Promise<readonly StoredTurn[]>;
  /**
   * The newest prompt of a channel that failed, or was cancelled in or after a turn (not one that only waited), unless it was
   * answered by a `/retry`, or something else that came after its end was.
   */
  lastUnanswered(channel: string): Promise<StoredEvent | undefined>;
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
  /** What the channel adds for the agent about the message (who wrote it, what it answers): people don't see it. */
  readonly context?: string | undefined;
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
   * message has cancelled, and on whether its answer to a question has counted.
   */
  readonly settled?: ImmediateOutcome | ((effect: AcceptEffect) => ImmediateOutcome) | undefined;
  /** Waiting events that the message ends, unless it is refused. */
  readonly cancels?: readonly CancelRequest[] | undefined;
  /** A question that the message answers, if nobody was faster. */
  readonly decides?: ({ readonly id: string } & PermissionAnswer) | undefined;
  /** A running turn that is going to be stopped, noted as its `stopReason`: after a crash it is not run again. */
  readonly stops?: { readonly turnId: string; readonly by: string } | undefined;
  /**
   * What was said elsewhere before the message, oldest first. In a channel without any event it is the beginning of the
   * conversation; in any other it counts as known.
   */
  readonly history?: readonly HistoryMessage[] | undefined;
}

/** What a message has done when it was accepted. */
export interface AcceptEffect {
  /** The events that it has cancelled. */
  readonly cancelled: readonly string[];
  /** The question that it has answered. Undefined if there was none, or it was answered already. */
  readonly decided: StoredPermission | undefined;
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
  /** The question that the message has answered, if it has. */
  readonly decided?: StoredPermission | undefined;
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
  /** True for one that stays in the conversation: nobody is brought it. */
  readonly silent?: boolean | undefined;
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
