import type { AbandonedTurn, Claim, Lease } from '../../store/store.js';
import type { Settlement } from './verdicts.js';

/** Does the work on the queue's events. */
export interface TurnHandler {
  /** Makes one attempt. Ends soon after the signal, whose reason is a `TurnStop`. Never rejects over an agent's failure. */
  run(claim: Claim, signal: AbortSignal): Promise<Settlement>;
  /** Settles a turn whose gateway has died. A `StoreError`, or a shortage, means: try again later. */
  recover(turn: AbandonedTurn, signal: AbortSignal): Promise<Settlement>;
  /** Called when the turn's settlement is on disk: nothing else of it is needed any more. */
  settled?(lease: Lease): Promise<void>;
}
