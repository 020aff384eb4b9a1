import type { Delivery, Role, StoredMessage } from './rows.js';

/** The messages that go out. */
export interface OutboxStore {
  /** Puts a message of the gateway that belongs to no turn's end into the conversation and the outbox. */
  post(message: NewMessage, at: number): Promise<StoredMessage>;
  /** The messages that still have to be delivered: of each channel only the oldest, so that order is kept. */
  undelivered(request: UndeliveredRequest): Promise<readonly Delivery[]>;
  delivered(ids: readonly number[], at: number): Promise<void>;
  /** Records a failed delivery: it is tried again at `notBefore`, or given up if that is undefined. */
  notDelivered(id: number, failure: { readonly error: string; readonly notBefore?: number }): Promise<void>;
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

export interface UndeliveredRequest {
  readonly now: number;
  readonly limit: number;
  /** As in `ClaimRequest`. */
  readonly longestWaitMs?: number | undefined;
}
