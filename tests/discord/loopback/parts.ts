import type { Interactions } from './interactions.js';
import type { LoopbackGateway } from './socket/gateway.js';
import type { MovableClock } from './state/clock.js';
import type { Violations } from './state/violations.js';
import type { Wire } from './state/wire.js';
import type { Message, World } from './state/world.js';

/** What the routes work with. */
export interface Parts {
  readonly clock: MovableClock;
  readonly world: World;
  readonly wire: Wire;
  readonly gateway: LoopbackGateway;
  readonly violations: Violations;
  readonly interactions: Interactions;
  readonly maxUploadBytes: number;
  readonly gatewayUrl: () => string;
  /** When the bot has been typing, by channel. */
  readonly typing: Map<string, number[]>;
  /** The messages that were sent with a nonce, newest last. */
  readonly sentNonces: { readonly nonce: string; readonly message: Message }[];
}
