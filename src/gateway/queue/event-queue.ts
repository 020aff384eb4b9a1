import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../config/log.js';
import { StoreError } from '../../store/errors.js';
import type {
  AbandonedTurn,
  Accepted,
  AcceptOptions,
  Claim,
  Lease,
  NewEvent,
  Store,
} from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import type { Settlement, Stopped, TurnStop } from '../turns/verdicts.js';
import { LeaseKeeper } from './lease-keeper.js';
import { cancelPostponed, postponedHead } from './postponed.js';

/** What is done with the events of the queue. */
export interface TurnHandler {
  /** One attempt. Ends soon after the signal; `signal.reason` is a `TurnStop`. Never rejects for what an agent does wrong. */
  run(claim: Claim, signal: AbortSignal): Promise<Settlement>;
  /** What to do about a turn whose gateway has died. */
  recover(turn: AbandonedTurn): Promise<Settlement>;
  /** What the turn came to is on disk: nothing else of it is needed any more. */
  settled?(lease: Lease): Promise<void>;
}

export interface QueueOptions {
  readonly store: Store;
  readonly handler: TurnHandler;
  readonly worker: string;
  readonly maxConcurrentTurns: number;
  readonly maxQueueDepth: number;
  readonly leaseMs: number;
  /** A drain waits so long for turns that were told to stop, and for the disk to take their results. */
  readonly stopTimeoutMs?: number | undefined;
  readonly log: Log;
  readonly now?: () => number;
  readonly watch?: Watcher | undefined;
  /** After a turn has ended, for whoever brings its answer out. */
  readonly onSettled?:
    | ((lease: Lease, settlement: Settlement, since: number | undefined) => void)
    | undefined;
  /** After a message was cancelled that was in no turn. */
  readonly onCancelled?: ((channel: string) => void) | undefined;
}

interface ClaimedTurn {
  readonly lease: Lease;
  readonly eventSeq: number;
  readonly stop: AbortController;
  /** What is on disk of it; undefined when nothing could be written. Never rejects. */
  readonly done: Promise<Settlement | undefined>;
  readonly since: number;
}

const defaultStopTimeoutMs = 15_000;

/**
 * Works through the store's events: one turn at a time for each channel, channels side by side. A channel is free for its
 * next turn when what the last one came to is on disk; `LeaseKeeper` sees to that.
 */
export class EventQueue {
  readonly #options: QueueOptions;
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #watch: Watcher;
  readonly #leases: LeaseKeeper;
  readonly #running = new Map<string, ClaimedTurn>();
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #claiming: Promise<void> | undefined;
  #lookAgain = false;
  #dueTimer: NodeJS.Timeout | undefined;
  /** The last fault of the store; undefined when it works. */
  #fault: string | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
    this.#watch = options.watch ?? (() => undefined);
    const { store, handler, worker, leaseMs, log } = options;
    this.#leases = new LeaseKeeper({
      ...{ store, worker, leaseMs, log },
      now: this.#now,
      watch: this.#watch,
      trackFault: (work) => this.#trackFault(work),
      heldLeases: () => [...this.#running.values()].map(({ lease }) => lease),
      onLeaseLost: (lease) => this.#stopLost(lease),
      recover: (turn) => handler.recover(turn),
      onSettled: async (lease, settlement, since) => {
        options.onSettled?.(lease, settlement, since);
        await handler.settled?.(lease);
      },
      onBeat: () => {
        if (this.#state === 'running') this.wake();
      },
    });
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  get size(): number {
    return this.#running.size;
  }

  isRunning(channel: string): boolean {
    return this.#running.has(channel);
  }

  runningSince(channel: string): number | undefined {
    return this.#running.get(channel)?.since;
  }

  /** Settles what a former gateway left, then begins to work. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#state = 'running';
    this.wake();
  }

  /** The event is on disk when this resolves. */
  async accept(event: NewEvent, options: Omit<AcceptOptions, 'maxWaiting'> = {}): Promise<Accepted> {
    this.#watch('accepting');
    const accepted = await this.#trackFault(
      this.#store.accept(event, { ...options, maxWaiting: this.#options.maxQueueDepth }),
    );
    this.#watch('accepted');
    if (accepted.event.state === 'queued') this.wake();
    return accepted;
  }

  /** When the head of a channel is tried again; undefined while its turn runs, or when it has not been tried. */
  async retryAt(channel: string): Promise<number | undefined> {
    return this.#running.has(channel) ? undefined : (await postponedHead(this.#store, channel))?.notBefore;
  }

  /**
   * Ends what a channel works on: its running turn, or the message that waits for its retry. Only if that came before
   * `beforeSeq`; resolves when it has ended. False when there is none, or it came to another end at this very moment.
   */
  async stop(channel: string, reason: Stopped, beforeSeq = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (!this.#running.has(channel) && (await this.#cancelRetry(channel, reason, beforeSeq))) return true;
    const turn = this.#running.get(channel);
    if (turn === undefined || turn.eventSeq >= beforeSeq) return false;
    turn.stop.abort(reason);
    const settlement = await turn.done;
    if (settlement?.type === 'postpone') return this.#cancelRetry(channel, reason, beforeSeq);
    return settlement?.type === 'finish' && settlement.outcome.state === 'cancelled';
  }

  async #cancelRetry(channel: string, reason: Stopped, beforeSeq: number): Promise<boolean> {
    const head = await postponedHead(this.#store, channel);
    if (head === undefined || head.seq >= beforeSeq) return false;
    const cancelled = await this.#trackFault(cancelPostponed(this.#store, head, reason, this.#now()));
    if (!cancelled) {
      // It was due at this very moment: its turn runs as soon as what is being claimed is known here.
      await this.#claiming;
      return false;
    }
    this.#options.onCancelled?.(channel);
    this.wake();
    return true;
  }

  /** Looks for work. Many calls in a row are one look. */
  wake(): void {
    this.#lookAgain = true;
    this.#claiming ??= nextLoop().then(() => this.#claimWhileFree());
  }

  /** No new turns; the running ones get `graceMs`, then they are stopped. What waits stays where it is: on disk. */
  async drain(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'draining';
    clearTimeout(this.#dueTimer);
    // What is being claimed at this moment is a running turn too.
    await this.#claiming;
    if (this.#running.size > 0 && graceMs > 0) await this.#untilIdle(graceMs);
    for (const turn of this.#running.values()) turn.stop.abort({ type: 'drain' } satisfies TurnStop);
    // Neither an agent that does not stop nor a disk that takes no result is waited for for ever: the next start takes
    // the turn over.
    const stopTimeoutMs = this.#options.stopTimeoutMs ?? defaultStopTimeoutMs;
    const giveUpTimer = setTimeout(() => this.#leases.giveUp(), (stopTimeoutMs * 2) / 3);
    await this.#untilIdle(stopTimeoutMs);
    clearTimeout(giveUpTimer);
    for (const { lease } of this.#running.values())
      this.#log.error('a turn did not stop: it is left to the next start', { channel: lease.channel });
    this.#leases.stop();
    this.#state = 'stopped';
  }

  /** Until no turn runs, or for so long. */
  async #untilIdle(graceMs: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      Promise.all([...this.#running.values()].map((turn) => turn.done)),
      sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
    over.abort();
  }

  async #claimWhileFree(): Promise<void> {
    try {
      while (this.#lookAgain && this.#state === 'running') {
        this.#lookAgain = false;
        const free = this.#options.maxConcurrentTurns - this.#running.size;
        if (free <= 0) break;
        const now = this.#now();
        const claims = await this.#trackFault(
          this.#store.claim({
            worker: this.#options.worker,
            now,
            leaseUntil: now + this.#options.leaseMs,
            limit: free,
          }),
        );
        for (const claim of claims) this.#begin(claim);
        if (claims.length === free) this.#lookAgain = true;
      }
      if (this.#state === 'running') await this.#sleepUntilDue();
    } catch (error) {
      this.#log.error('the queue could not be read', { error });
      this.#wakeIn(1000);
    } finally {
      this.#claiming = undefined;
      if (
        this.#lookAgain &&
        this.#running.size < this.#options.maxConcurrentTurns &&
        this.#state === 'running'
      )
        this.wake();
    }
  }

  #begin(claim: Claim): void {
    this.#watch('claimed');
    const { channel } = claim.lease;
    const stop = new AbortController();
    const since = this.#now();
    const done = this.#leases
      .settle(claim.lease, () => this.#options.handler.run(claim, stop.signal), since)
      .catch((error: unknown): undefined => {
        this.#log.error('a turn could not be settled', { channel, error });
      })
      .finally(() => {
        // Its result is on disk for a while: the channel may have its next turn already.
        if (this.#running.get(channel)?.lease.turnId === claim.lease.turnId) this.#running.delete(channel);
        this.wake();
      });
    this.#running.set(channel, {
      lease: claim.lease,
      eventSeq: claim.event.seq,
      stop,
      done,
      since,
    });
  }

  /** Whoever has the turn now answers for it. */
  #stopLost(lease: Lease): void {
    const turn = this.#running.get(lease.channel);
    if (turn?.lease.turnId === lease.turnId) turn.stop.abort({ type: 'lost_lease' } satisfies TurnStop);
  }

  async #sleepUntilDue(): Promise<void> {
    const due = await this.#store.nextDue();
    clearTimeout(this.#dueTimer);
    if (due !== undefined) this.#wakeIn(Math.max(5, due - this.#now()));
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#dueTimer);
    if (this.#state !== 'running') return;
    // Never for longer than a minute: the clock may be set.
    this.#dueTimer = setTimeout(() => this.wake(), Math.min(ms, 60_000));
  }

  async #trackFault<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      this.#fault = undefined;
      return result;
    } catch (error) {
      if (error instanceof StoreError && error.fault !== 'lost_lease') this.#fault = error.message;
      throw error;
    }
  }
}
