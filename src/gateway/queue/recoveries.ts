import type { Log } from '../../config/log.js';
import { isShortage } from '../../core/errors.js';
import { StoreError } from '../../store/errors.js';
import type { AbandonedTurn, Lease } from '../../store/store.js';
import { type Settlement, type Stopped, stoppedBeforeCrash, unrecoverable } from '../turns/verdicts.js';
import type { TurnAtWork } from './turn-at-work.js';

export interface RecoveriesParts {
  readonly log: Log;
  readonly now: () => number;
  /** Aborted when the gateway stops: what has not been settled by then is left to the next start. */
  readonly stopping: AbortSignal;
  /** Settles a turn whose gateway has died. */
  recover(turn: AbandonedTurn, signal: AbortSignal): Promise<Settlement>;
  /** Resolves to the settlement that is on disk. */
  write(lease: Lease, settlement: Settlement): Promise<Settlement | undefined>;
  /** Waits between two attempts. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  /** Called when a turn is over, one way or another: its channel may be free. */
  onDone(): void;
}

/**
 * Settles the turns of a gateway that has died, beside the work of this one. To read what an agent had printed may take
 * long, and only the channel of that turn waits for it: there are no more of them than turns ran at once before.
 */
export class Recoveries {
  readonly #parts: RecoveriesParts;
  readonly #running = new Map<Lease, TurnAtWork>();

  constructor(parts: RecoveriesParts) {
    this.#parts = parts;
  }

  get leases(): readonly Lease[] {
    return [...this.#running.keys()];
  }

  /** The turn of a channel that is being recovered. */
  of(channel: string): TurnAtWork | undefined {
    return [...this.#running.values()].find(({ lease }) => lease.channel === channel);
  }

  begin(abandoned: AbandonedTurn): void {
    const { log, onDone } = this.#parts;
    const { lease, turn, events } = abandoned;
    const stop = new AbortController();
    const decide = (settlement: Settlement) => {
      work.decided = settlement;
    };
    const done = this.#settle(abandoned, stop.signal, decide)
      .catch((error: unknown): undefined => {
        log.error('a turn of a former gateway could not be settled', { channel: lease.channel, error });
      })
      .finally(() => {
        this.#running.delete(lease);
        onDone();
      });
    const work: TurnAtWork = { lease, eventSeq: events[0]?.seq ?? 0, stop, done, since: turn.startedAt };
    this.#running.set(lease, work);
  }

  /** Resolves when none is left. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #settle(
    turn: AbandonedTurn,
    stop: AbortSignal,
    decide: (settlement: Settlement) => void,
  ): Promise<Settlement | undefined> {
    const { write, now } = this.#parts;
    const recovered = await this.#recover(turn);
    if (recovered === undefined) return undefined;
    // A stop that came too late for the recovery to know of it: nothing had begun, and nothing is going to.
    const isStopped = stop.aborted && recovered.type === 'postpone';
    const settlement = isStopped ? stoppedBeforeCrash((stop.reason as Stopped).by, [], now()) : recovered;
    decide(settlement);
    return write(turn.lease, settlement);
  }

  /** Undefined if the gateway stops first. */
  async #recover(turn: AbandonedTurn): Promise<Settlement | undefined> {
    const { recover, stopping, log, now, pause } = this.#parts;
    const { channel } = turn.lease;
    let unexplainedFaults = 0;
    let shortages = 0;
    for (let delay = 100; !stopping.aborted; delay = Math.min(delay * 2, 5000)) {
      try {
        return await recover(turn, stopping);
      } catch (error) {
        if (stopping.aborted) return undefined;
        const isStoreError = error instanceof StoreError;
        if (isStoreError && !error.retryable) throw error;
        if (isStoreError && error.fault === 'failed') unexplainedFaults += 1;
        if (!isStoreError && isShortage(error)) shortages += 1;
        // While the store, or a machine that has run out of something, can't tell which tools had begun, nothing may be
        // decided. But one turn that can't be read must not block its channel for ever.
        const mayPass = isStoreError || isShortage(error);
        if (!mayPass || unexplainedFaults > maxUnexplainedFaults || shortages > maxShortages) {
          log.error('a turn could not be recovered', { channel, error });
          return unrecoverable(turn.turn.tools, error, now());
        }
        log.error('a turn could not be recovered: trying again', { channel, error });
        await pause(delay, stopping).catch(() => undefined);
      }
    }
    return undefined;
  }
}

/** So many attempts take about a minute. */
const maxUnexplainedFaults = 15;

/** So many attempts take about five minutes. A disk that fails at this one file for longer goes on failing. */
const maxShortages = 65;
