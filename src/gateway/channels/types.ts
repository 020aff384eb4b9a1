import type { PermissionDecision } from '../../core/chat-event.js';
import type { Delivery, StoredEvent, StoredMessage, StoredPermission } from '../../store/rows.js';

/**
 * A kind of channel (HTTP, later Discord and the page): it turns the world's messages into events of the gateway, and
 * what the gateway says into the world's messages.
 */
export type ChannelKind = PulledChannel | PushedChannel;

interface ChannelLife {
  /** The `source` of its events. */
  readonly name: string;
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
   * Rejects if that failed: the message is tried again, and later ones of its channel wait behind it.
   */
  deliver(delivery: Delivery): Promise<void>;
}

/** The gateway, as channels see it. */
export interface GatewayFace {
  /** Resolves when the message is on disk. Rejects with a StoreError if it could not be stored. */
  receive(message: IncomingMessage): Promise<Receipt>;
  /** Ends the channel's running turn, or its waiting retry, as cancelled. False if there was none. */
  interrupt(channel: string): Promise<boolean>;
  event(id: string): Promise<StoredEvent | undefined>;
  /** Resolves when the event has ended, the signal is aborted, or the gateway stops. Undefined if there is no event. */
  waitForEnd(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined>;
  messages(
    channel: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly StoredMessage[]>;
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  /** The permission request, in whatever state. */
  permission(id: string): Promise<StoredPermission | undefined>;
  /** Undefined if no such request is pending. Rejects with `bad_request` for a decision that it does not offer. */
  decide(id: string, decision: PermissionDecision, message?: string): Promise<StoredPermission | undefined>;
  health(): Promise<Health>;
  /** The metrics in Prometheus' text format. */
  metrics(): Promise<string>;
}

export interface IncomingMessage {
  readonly channel: string;
  readonly source: string;
  readonly text: string;
  /** The same id twice is one message. */
  readonly messageId?: string | undefined;
  readonly author?: string | undefined;
}

export interface Receipt {
  readonly event: StoredEvent;
  readonly repeated: boolean;
}

export interface Health {
  /** True if it takes messages and works on them: not starting, not draining, and the store can write. */
  readonly ready: boolean;
  readonly problems: readonly string[];
}
