import type { QueueMode } from '../../config/settings.js';
import type { ChatEvent, PermissionDecision } from '../../core/chat-event.js';
import type {
  AgentChoice,
  ContextUsed,
  Delivery,
  StoredEvent,
  StoredMessage,
  StoredPermission,
  TurnOutline,
} from '../../store/rows.js';
import type { HistoryMessage, ListingChange } from '../../store/store.js';
import type { FeedPosition } from './feed-position.js';
import type { ChainRuns, Plan, Reports, VendorSessions, WorkTreeChanges } from './lookups.js';

/**
 * A kind of channel (HTTP with the page, later Discord): it turns the world's messages into events of the gateway, and what
 * the gateway says into the world's messages. Every channel belongs to one kind, whoever speaks in it: the first that owns it.
 */
export type ChannelKind = PulledChannel | PushedChannel;

interface ChannelLife {
  /** The `source` of its events. */
  readonly name: string;
  /** True if the channel is one of its kind: what is said there, also to a schedule's prompt, is for its readers. */
  owns(channel: string): boolean;
  /** False if there is no such channel: nobody would read what is said there. */
  knows?(channel: string): Promise<boolean>;
  /** What an agent is told about the channel: a part of its system prompt. The same text again costs nothing, another one may. */
  instructions?(channel: string): string | undefined;
  start(gateway: GatewayFace): Promise<void>;
  /** Takes no more messages. Those that it has accepted are on disk. */
  stop(): Promise<void>;
}

/** Readers of a pulled channel come and get their messages: each counts as delivered as soon as it is on disk. */
export interface PulledChannel extends ChannelLife {
  readonly type: 'pulled';
}

/** A pushed channel brings the messages to its readers. */
export interface PushedChannel extends ChannelLife {
  readonly type: 'pushed';
  /**
   * Brings a message to its reader. After a crash it may be called twice with the same `delivery.id`, which is the nonce.
   * Rejects if that failed: the message is tried again, and later ones of its channel wait behind it. With a `FinalFailure` it is
   * given up instead.
   */
  deliver(delivery: Delivery): Promise<void>;
}

/** The gateway, as channels see it. */
export interface GatewayFace {
  /**
   * Resolves when the message is on disk. Rejects with a StoreError if it could not be stored, and with a TurnoutError if
   * the agent that it asks for can't be used.
   */
  receive(message: IncomingMessage): Promise<Receipt>;
  /** Ends the channel's running turn, or its waiting retry, as cancelled. False if there was none, or another one. */
  interrupt(channel: string, options?: InterruptOptions): Promise<boolean>;
  event(id: string): Promise<StoredEvent | undefined>;
  /** Resolves when the event has ended, the signal is aborted, or the gateway stops. Undefined if there is no event. */
  waitForEnd(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined>;
  /** Oldest first: the first ones behind `after`, or the last ones in front of `before`. */
  messages(
    channel: string,
    page: { readonly after?: number; readonly before?: number; readonly limit: number },
  ): Promise<readonly StoredMessage[]>;
  /** Long inputs, and those beyond some, are left out. */
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  /** The permission request, in whatever state. */
  permission(id: string): Promise<StoredPermission | undefined>;
  /** Undefined if no such request is pending. Rejects with `bad_request` for a decision that it does not offer. */
  decide(id: string, decision: PermissionDecision, message?: string): Promise<StoredPermission | undefined>;
  /**
   * What happens in a channel, from a position on or from the running turn's beginning, until the signal is aborted or the
   * gateway stops. A slow reader holds nothing up and costs no memory: what it has not read is read from the store later.
   */
  follow(channel: string, options: FollowOptions): AsyncIterable<FeedEntry>;
  /** The channel as it is now. */
  status(channel: string): Promise<ChannelStatus>;
  /** Titles a channel, puts it away or brings it back. False if there is no such channel: one begins with its first message. */
  changeListing(channel: string, change: ListingChange): Promise<boolean>;
  /** Marks the end of a conversation, which the event is, until anything else is said in its channel. */
  markEnd(eventId: string, mark: string): Promise<void>;
  /** A channel whose conversation ends with the mark, for one caller: the mark is gone then. */
  takeMarked(mark: string): Promise<string | undefined>;
  /** Drops a message that waits. False if it does not wait (any more). */
  cancel(eventId: string): Promise<boolean>;
  /** The event of a message that was received, by the message's id at its origin. */
  eventOf(source: string, channel: string, messageId: string): Promise<StoredEvent | undefined>;
  /**
   * Its sender has changed a prompt: hooks see the new text and context as they saw the first ones, and what they refuse is
   * dropped. False if it does not wait (any more), or has been in a turn.
   */
  changeWaiting(eventId: string, text: string, context?: string): Promise<boolean>;
  /** Puts a prompt that waits in front of the others, and ends the turn that runs. False if it does not wait (any more). */
  runNext(eventId: string, options?: Pick<InterruptOptions, 'by'>): Promise<boolean>;
  health(): Promise<Health>;
  /** What it is, and since when. */
  readonly identity: GatewayIdentity;
  /** The next run of each heartbeat and cron entry, and what is wrong in their files. */
  plannedRuns(): Promise<Plan>;
  /** The metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  readonly reports: Reports;
  readonly vendorSessions: VendorSessions;
  readonly changes: WorkTreeChanges;
  readonly chainRuns: ChainRuns;
}

export interface IncomingMessage {
  readonly channel: string;
  readonly source: string;
  /** What the person wrote, as people see it again. */
  readonly text: string;
  /** What the channel adds for the agent behind the text. Whatever others wrote in it has to be marked as theirs. */
  readonly context?: string | undefined;
  /** The same id twice is one message. */
  readonly messageId?: string | undefined;
  readonly author?: string | undefined;
  /** How the message meets others, in place of the channel's own mode. One with `queue` has a turn of its own. */
  readonly queueMode?: QueueMode | undefined;
  /** What its sender tells the agent beside the text: it becomes a part of the turn's system prompt. */
  readonly instructions?: string | undefined;
  /** What was said elsewhere before, oldest first: it begins the conversation of a channel that has none. */
  readonly history?: readonly HistoryMessage[] | undefined;
  /** The agent that is to answer: its turn changes the channel to it, as /backend, /model and /thinking do. */
  readonly agent?: AgentChoice | undefined;
}

export interface InterruptOptions {
  /** The turn that is meant, or the one that is tried again: another one goes on. */
  readonly turnId?: string | undefined;
  readonly by?: string | undefined;
}

export interface FollowOptions {
  readonly from?: FeedPosition | undefined;
  /** True: also tells in which other channels something has changed. */
  readonly others?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** A step of what happens in a channel. With a `position` it can be gone on from behind it. */
export type FeedEntry =
  | { readonly type: 'message'; readonly message: StoredMessage; readonly position: FeedPosition }
  /** A turn has begun, or has ended. */
  | { readonly type: 'turn'; readonly turn: TurnOutline; readonly position: FeedPosition }
  /** Pieces of text may come joined. */
  | {
      readonly type: 'chat';
      readonly turnId: string;
      readonly event: ChatEvent;
      readonly position: FeedPosition;
    }
  /** The channel as it is now: at the beginning, and after every change. */
  | { readonly type: 'status'; readonly status: ChannelStatus }
  | { readonly type: 'others'; readonly channels: readonly string[] }
  /** Where reading begins: whoever is cut off before anything has happened goes on from here. */
  | { readonly type: 'start'; readonly position: FeedPosition }
  /** The position that was asked for is not one of this channel (any more): the conversation has to be read anew. */
  | { readonly type: 'reset'; readonly position: FeedPosition };

export interface ChannelStatus {
  readonly channel: string;
  /** The title that a person has given. */
  readonly title?: string | undefined;
  /** The beginning of the present conversation's first prompt. */
  readonly firstPrompt?: string | undefined;
  readonly archived: boolean;
  readonly backend: string;
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
  /** The context of the present session, as the agent's last turns told it. */
  readonly context?: ContextUsed | undefined;
  readonly permissionMode: string;
  readonly queueMode: string;
  /** True if a message can be taken into a turn that runs; otherwise it waits, whatever its mode is. */
  readonly steers: boolean;
  readonly cwd: string;
  readonly running?: { readonly turn: TurnOutline; readonly tool?: string | undefined } | undefined;
  /** The first ones that wait, oldest first. */
  readonly waiting: readonly StoredEvent[];
  readonly waitingCount: number;
  /** The questions of the channel that wait for a person. Long inputs, and those beyond some, are left out. */
  readonly permissions: readonly StoredPermission[];
}

export interface Receipt {
  readonly event: StoredEvent;
  readonly repeated: boolean;
}

export interface Health {
  /** True if it takes messages and works on them: not starting, not draining, and the store can write. */
  readonly ready: boolean;
  /** One that is ready may have some, too: no connection to Discord. */
  readonly problems: readonly string[];
}

export interface GatewayIdentity {
  /** Turnout's. */
  readonly version: string;
  readonly startedAt: number;
  readonly pid: number;
  /** The data directory. */
  readonly home: string;
  /** The agent of channels that have chosen none. */
  readonly backend: string;
  readonly live: boolean;
  /** The connection to Discord; undefined if it is not used. */
  readonly discord?: 'connected' | 'connecting' | 'failed' | undefined;
}
