import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../config/log.js';
import { StoreError } from '../../store/errors.js';
import type { AbandonedTurn, Lease } from '../../store/store.js';
import { type Settlement, unrecoverable } from '../turns/verdicts.js';

export interface RecoveriesParts {
  readonly log: Log;
  readonly now: () => number;
  /** Aborted when the gateway stops: what has not been settled by then is left to the next start. */
  readonly stopping: AbortSignal;
  /** Settles a turn whose gateway has died. */
  recover(turn: AbandonedTurn, signal: AbortSignal): Promise<Settlement>;
  write(lease: Lease, settlement: Settlement): Promise<unknown>;
  /** Called when a turn is over, one way or another: its channel may be free. */
  onDone(): void;
}

/**
 * Settles the turns of a gateway that has died, beside the work of this one. To read what an agent had printed may take
 * long, and only the channel of that turn waits for it: there are no more of them than turns ran at once before.
 */
export class Recoveries {
  readonly #parts: RecoveriesParts;
  readonly #running = new Map<Lease, Promise<void>>();

  constructor(parts: RecoveriesParts) {
    this.#parts = parts;
  }

  get leases(): readonly Lease[] {
    return [...this.#running.keys()];
  }

  begin(turn: AbandonedTurn): void {
    const { log, onDone } = this.#parts;
    const { lease } = turn;
    const done = this.#settle(turn)
      .catch((error: unknown) => {
        log.error('a turn of a former gateway could not be settled', { channel: lease.channel, error });
      })
      .finally(() => {
        this.#running.delete(lease);
        onDone();
      });
    this.#running.set(lease, done);
  }

  /** Resolves when none is left. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #settle(turn: AbandonedTurn): Promise<void> {
    const { recover, write, stopping, log, now } = this.#parts;
    let unexplainedFaults = 0;
    for (let delay = 100; !stopping.aborted; delay = Math.min(delay * 2, 5000)) {
      let settlement: Settlement;
      try {
        settlement = await recover(turn, stopping);
      } catch (error) {
        if (stopping.aborted) return;
        if (error instanceof StoreError && error.fault === 'failed') unexplainedFaults += 1;
        // While the store can't tell which tools had begun, nothing may be decided. But one turn that the store can't cope
        // with must not block its channel for ever.
        if (error instanceof StoreError && unexplainedFaults <= maxUnexplainedFaults) {
          if (!error.retryable) throw error;
          log.error('a turn could not be recovered: trying again', { channel: turn.lease.channel, error });
          await sleep(delay, undefined, { signal: stopping }).catch(() => undefined);
          continue;
        }
        log.error('a turn could not be recovered', { channel: turn.lease.channel, error });
        settlement = unrecoverable(turn.turn.tools, error, now());
      }
      await write(turn.lease, settlement);
      return;
    }
  }
}

/** So many attempts take about a minute. */
const maxUnexplainedFaults = 15;
