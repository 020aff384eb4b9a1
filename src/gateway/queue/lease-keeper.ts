import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../config/log.js';
import { StoreError } from '../../store/errors.js';
import type { AbandonedTurn, Lease, Store } from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import { failedBeforeTools, failedInside, type Settlement } from '../turns/verdicts.js';
import { Recoveries } from './recoveries.js';
import type { TurnAtWork } from './turn-at-work.js';

export interface LeaseKeeperParts {
  readonly store: Pick<Store, 'heartbeat' | 'takeOver' | 'finish' | 'postpone'>;
  readonly worker: string;
  readonly leaseMs: number;
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  /** The leases of the turns that run here. */
  heldLeases(): readonly Lease[];
  /** Called if another gateway has taken the lease. */
  onLeaseLost(lease: Lease): void;
  /** Settles a turn whose gateway has died. */
  recover(turn: AbandonedTurn, signal: AbortSignal): Promise<Settlement>;
  /** Called when the settlement is on disk. `since` is unknown for a turn that was taken over. */
  onSettled(lease: Lease, settlement: Settlement, since: number | undefined): Promise<void>;
  /** Called after each heartbeat and each recovery: channels may have become free. */
  onBeat(): void;
  /** Waits between two attempts to write a settlement. Default: real time. */
  pause?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * Keeps the right to write about a turn from end to end: it prolongs leases while turns run, takes them over from a
 * gateway that has died, and gives them back with the turn's settlement, which it writes until that is on disk.
 */
export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts;
  readonly #givenUp = new AbortController();
  readonly #stopping = new AbortController();
  readonly #recoveries: Recoveries;
  /** The turns whose settlement could not be written so far. */
  readonly #unwritten = new Set<string>();
  #heartbeat: NodeJS.Timeout | undefined;
  /** False as long as turns of a former gateway may not have been taken over yet. */
  #tookOverAll = false;

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts;
    const { log, now, recover, onBeat, pause = defaultPause } = parts;
    const write = (lease: Lease, settlement: Settlement) => this.#write(lease, settlement);
    const stopping = this.#stopping.signal;
    this.#recoveries = new Recoveries({ log, now, stopping, recover, write, pause, onDone: onBeat });
  }

  /** The number of settlements that could not be written so far. */
  get unwritten(): number {
    return this.#unwritten.size;
  }

  /** A channel's turn of a former gateway, as long as it is being settled. */
  recovering(channel: string): TurnAtWork | undefined {
    return this.#recoveries.of(channel);
  }

  /** Takes over all turns of a former gateway, and begins to prolong the leases. */
  async start(): Promise<void> {
    await this.#takeOver().catch((error: unknown) => {
      // A disk that is full or fails now may work at one of the next beats; until then nothing of those turns is touched.
      if (!(error instanceof StoreError) || !['full', 'io', 'locked'].includes(error.fault)) throw error;
      this.#parts.log.error('the turns of a former gateway could not be taken over yet', { error });
    });
    const beat = Math.max(250, Math.floor(this.#parts.leaseMs / 3));
    this.#heartbeat = setInterval(() => void this.#beat(), beat);
  }

  /** Calls `decide` before it writes. Resolves when the attempt's settlement is on disk; with undefined if another gateway has the lease by then. */
  async settle(
    lease: Lease,
    attempt: () => Promise<Settlement>,
    since: number,
    decide: (settlement: Settlement) => void,
  ): Promise<Settlement | undefined> {
    let settlement: Settlement;
    try {
      settlement = await attempt();
    } catch (error) {
      if (isLostLease(error)) return this.#logLostLease(lease);
      settlement = this.#settleFault(lease, error);
    }
    decide(settlement);
    return this.#write(lease, settlement, since);
  }

  /** Stops retrying: a settlement that can't be written now is left to the next start. */
  giveUp(): void {
    this.#givenUp.abort();
  }

  /** Resolves when no recovery is at work any more. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#stopping.abort();
    this.giveUp();
    await this.#recoveries.ended();
  }

  async #beat(): Promise<void> {
    const { store, now, leaseMs, heldLeases, onLeaseLost, onBeat, log } = this.#parts;
    try {
      const leases = [...heldLeases(), ...this.#recoveries.leases];
      const lost = leases.length === 0 ? [] : await store.heartbeat(leases, now() + leaseMs);
      for (const lease of lost) onLeaseLost(lease);
      await this.#takeOver();
      onBeat();
    } catch (error) {
      log.error('the leases could not be prolonged', { error });
    }
  }

  /** The first time all turns of others are taken over: the directory is ours, so their gateway is gone. */
  async #takeOver(): Promise<void> {
    const { store, worker, leaseMs, log, watch } = this.#parts;
    const now = this.#parts.now();
    const all = !this.#tookOverAll;
    const abandoned = await store.takeOver({ worker, now, leaseUntil: now + leaseMs, all });
    this.#tookOverAll = true;
    for (const turn of abandoned) {
      watch('took_over');
      log.warn('taking over a turn that was left unfinished', {
        channel: turn.lease.channel,
        turn: turn.lease.turnId,
        tools: turn.turn.tools.length,
      });
      this.#recoveries.begin(turn);
    }
  }

  /** The message must not get lost over a defect of the gateway, or a store that can't be written. */
  #settleFault(lease: Lease, error: unknown): Settlement {
    const { log, now } = this.#parts;
    log.error('a turn failed inside the gateway', { channel: lease.channel, error });
    return failedBeforeTools(error, now());
  }

  /** Writes the settlement until it is on disk, or until another gateway has the lease. Only a drain gives it up. */
  async #write(lease: Lease, wanted: Settlement, since?: number): Promise<Settlement | undefined> {
    const { store, log, now, watch, pause = defaultPause } = this.#parts;
    let settlement = wanted;
    let unexplainedFaults = 0;
    for (let delay = 100; ; delay = Math.min(delay * 2, 5000)) {
      try {
        watch('finishing');
        if (settlement.type === 'finish') await store.finish(lease, settlement.outcome);
        else await store.postpone(lease, settlement.retry);
        watch(settlement.type === 'finish' ? 'finished' : 'postponed');
        break;
      } catch (error) {
        if (isLostLease(error)) {
          this.#unwritten.delete(lease.turnId);
          return this.#logLostLease(lease);
        }
        if (!(error instanceof StoreError) || !error.retryable || this.#givenUp.signal.aborted) throw error;
        this.#unwritten.add(lease.turnId);
        if (error.fault === 'failed') unexplainedFaults += 1;
        // Nothing is wrong with the disk: the result itself can't be stored, and would block its channel.
        if (unexplainedFaults === maxUnexplainedFaults) settlement = failedInside(error, now());
        log.error('the result of a turn could not be written: trying again', {
          channel: lease.channel,
          error,
        });
        await pause(delay, this.#givenUp.signal).catch(() => undefined);
      }
    }
    this.#unwritten.delete(lease.turnId);
    await this.#parts.onSettled(lease, settlement, since);
    return settlement;
  }

  #logLostLease(lease: Lease): undefined {
    this.#parts.log.warn('a turn was taken over by another gateway: its result here is dropped', {
      channel: lease.channel,
      turn: lease.turnId,
    });
  }
}

/** So many attempts take about a minute. */
const maxUnexplainedFaults = 15;

export const defaultPause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });

function isLostLease(error: unknown): boolean {
  return error instanceof StoreError && error.fault === 'lost_lease';
}
