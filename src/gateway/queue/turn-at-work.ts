import type { Lease } from '../../store/store.js';
import type { Settlement } from '../turns/verdicts.js';

/** A turn that occupies its channel: it runs, or it is a dead gateway's and is being recovered. */
export interface TurnAtWork {
  readonly lease: Lease;
  /** The first message of the turn. */
  readonly eventSeq: number;
  /** Aborted, with a `TurnStop` as the reason, when the turn is to end. */
  readonly stop: AbortController;
  /** The settlement that is on disk; undefined if none could be written. Never rejects. */
  readonly done: Promise<Settlement | undefined>;
  readonly since: number;
  /** What is being written: the agent has done its part, and nothing of it is left to be stopped. */
  decided?: Settlement | undefined;
}
