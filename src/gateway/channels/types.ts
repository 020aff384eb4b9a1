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
  /** Takes no more messages. What it has accepted is on disk. */
  stop(): Promise<void>;
}

/** Its readers come and get what was said: every message counts as delivered as soon as it is on disk. */
export interface PulledChannel extends ChannelLife {
  readonly type: 'pulled';
}

/** It brings what was said to its readers. */
export interface PushedChannel extends ChannelLife {
  readonly type: 'pushed';
  /**
   * Brings a message to its reader. May come twice for the same `delivery.id` after a crash: it is the nonce to tell by.
   * Rejects when it did not work; it is tried again, later ones of the channel waiting behind it.
   */
  deliver(delivery: Delivery): Promise<void>;
}

/** What a channel may ask of the gateway. */
export interface GatewayFace {
  /** The message is on disk when it resolves. Rejects with a StoreError when it could not be kept. */
  receive(message: IncomingMessage): Promise<Receipt>;
  /** Ends the channel's running turn as cancelled. False: there was none. */
  interrupt(channel: string): Promise<boolean>;
  event(id: string): Promise<StoredEvent | undefined>;
  /** The event when it has ended; as it is when the signal is aborted or the gateway stops. Undefined: there is none. */
  waitForEnd(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined>;
  messages(
    channel: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly StoredMessage[]>;
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  /** A permission request in whatever state. */
  permission(id: string): Promise<StoredPermission | undefined>;
  /** Undefined: there is no such request pending. Rejects with `bad_request` for a decision that it does not offer. */
  decide(id: string, decision: PermissionDecision, message?: string): Promise<StoredPermission | undefined>;
  health(): Promise<Health>;
  /** Prometheus' text format. */
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
  /** It takes messages and works on them: not starting, not draining, and the store can write. */
  readonly ready: boolean;
  readonly problems: readonly string[];
}
