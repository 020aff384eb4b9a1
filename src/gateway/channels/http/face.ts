import type { StoredEvent, StoredPermission } from '../../../store/rows.js';
import type { GatewayFace } from '../types.js';

/** What the HTTP channel makes use of when the gateway has it, and does without when not. */
export interface HttpGatewayFace extends GatewayFace {
  /** Resolves when the event has ended, or the signal is aborted. Without it the event is looked at again and again. */
  settled?(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined>;
  /** A permission request in whatever state. Without it one that was decided can't be told from an unknown one. */
  permission?(id: string): Promise<StoredPermission | undefined>;
}
