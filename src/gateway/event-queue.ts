import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store/errors.js';
import type {
  AbandonedTurn,
  Accepted,
  AcceptOptions,
  Claim,
  Lease,
  NewEvent,
  Store,
} from '../store/types.js';
import type { Watcher } from './journal-points.js';
import type { Log } from './log.js';
import { cancelPostponed, postponedHead } from './postponed.js';
import { brokenInside, failedInside, type Settlement, type Stopped, type StopReason } from './settlement.js';

/** What is done with the events of the queue. */
export interface TurnHandler {
  /** One attempt. Ends soon after the signal; `signal.reason` is a `StopReason`. Never rejects for what an agent does wrong. */
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
  readonly patienceMs?: number | undefined;
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

interface RunningTurn {
  readonly lease: Lease;
  readonly eventSeq: number;
  readonly stop: AbortController;
  /** What is on disk of it; undefined when nothing could be written. Never rejects. */
  readonly done: Promise<Settlement | undefined>;
  readonly since: number;
}

const defaultPatienceMs = 15_000;

/**
 * Works through the store's events: one turn at a time for each channel, channels side by side. What a turn came to is
 * written until it is on disk; only then is the channel free for its next one.
 */
export class EventQueue {
  readonly #options: QueueOptions;
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #watch: Watcher;
  readonly #running = new Map<string, RunningTurn>();
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #due: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** The last fault of the store; undefined when it works. */
  #fault: string | undefined;
  #givenUp = new AbortController();

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
    this.#watch = options.watch ?? (() => undefined);
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
    await this.#takeOver(true);
    this.#state = 'running';
    const beat = Math.max(250, Math.floor(this.#options.leaseMs / 3));
    this.#heartbeat = setInterval(() => void this.#beat(), beat);
    this.wake();
  }

  /** The event is on disk when this resolves. */
  async accept(event: NewEvent, options: Omit<AcceptOptions, 'maxWaiting'> = {}): Promise<Accepted> {
    this.#watch('accepting');
    const accepted = await this.#noting(
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
    const cancelled = await this.#noting(cancelPostponed(this.#store, head, reason, this.#now()));
    if (!cancelled) {
      // It was due at this very moment: its turn runs as soon as what is being claimed is known here.
      await this.#pumping;
      return false;
    }
    this.#options.onCancelled?.(channel);
    this.wake();
    return true;
  }

  /** Looks for work. Many calls in a row are one look. */
  wake(): void {
    this.#wanted = true;
    this.#pumping ??= nextLoop().then(() => this.#pump());
  }

  /** No new turns; the running ones get `graceMs`, then they are stopped. What waits stays where it is: on disk. */
  async drain(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'draining';
    clearTimeout(this.#due);
    // What is being claimed at this moment is a running turn too.
    await this.#pumping;
    if (this.#running.size > 0 && graceMs > 0) await this.#quiet(graceMs);
    for (const turn of this.#running.values()) turn.stop.abort({ type: 'drain' } satisfies StopReason);
    // Neither an agent that does not stop nor a disk that takes no result is waited for for ever: the next start takes
    // the turn over.
    const patienceMs = this.#options.patienceMs ?? defaultPatienceMs;
    const impatient = setTimeout(() => this.#givenUp.abort(), (patienceMs * 2) / 3);
    await this.#quiet(patienceMs);
    clearTimeout(impatient);
    for (const { lease } of this.#running.values())
      this.#log.error('a turn did not stop: it is left to the next start', { channel: lease.channel });
    clearInterval(this.#heartbeat);
    this.#state = 'stopped';
  }

  /** Until no turn runs, or for so long. */
  async #quiet(graceMs: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      Promise.all([...this.#running.values()].map((turn) => turn.done)),
      sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
    over.abort();
  }

  async #pump(): Promise<void> {
    try {
      while (this.#wanted && this.#state === 'running') {
        this.#wanted = false;
        const free = this.#options.maxConcurrentTurns - this.#running.size;
        if (free <= 0) break;
        const now = this.#now();
        const claims = await this.#noting(
          this.#store.claim({
            worker: this.#options.worker,
            now,
            leaseUntil: now + this.#options.leaseMs,
            limit: free,
          }),
        );
        for (const claim of claims) this.#begin(claim);
        if (claims.length === free) this.#wanted = true;
      }
      if (this.#state === 'running') await this.#sleepUntilDue();
    } catch (error) {
      this.#log.error('the queue could not be read', { error });
      this.#wakeIn(1000);
    } finally {
      this.#pumping = undefined;
      if (this.#wanted && this.#running.size < this.#options.maxConcurrentTurns && this.#state === 'running')
        this.wake();
    }
  }

  #begin(claim: Claim): void {
    this.#watch('claimed');
    const { channel } = claim.lease;
    const stop = new AbortController();
    const since = this.#now();
    const done = this.#work(claim, stop.signal, since)
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

  async #work(claim: Claim, signal: AbortSignal, since: number): Promise<Settlement | undefined> {
    const { lease } = claim;
    let settlement: Settlement;
    try {
      settlement = await this.#options.handler.run(claim, signal);
    } catch (error) {
      if (isLostLease(error)) return this.#tellLost(lease);
      settlement = this.#broken(lease, error);
    }
    return this.#settle(lease, settlement, since);
  }

  /** A defect of ours, or a store that can't be written: the message must not get lost over it. */
  #broken(lease: Lease, error: unknown): Settlement {
    this.#log.error('a turn failed inside the gateway', { channel: lease.channel, error });
    return brokenInside(error, this.#now());
  }

  /** Until it is on disk, or the lease is another's. */
  async #settle(lease: Lease, wanted: Settlement, since?: number): Promise<Settlement | undefined> {
    let settlement = wanted;
    let strange = 0;
    for (let delay = 100; ; delay = Math.min(delay * 2, 5000)) {
      try {
        this.#watch('finishing');
        if (settlement.type === 'finish') await this.#noting(this.#store.finish(lease, settlement.outcome));
        else await this.#noting(this.#store.postpone(lease, settlement.retry));
        this.#watch(settlement.type === 'finish' ? 'finished' : 'postponed');
        break;
      } catch (error) {
        if (isLostLease(error)) return this.#tellLost(lease);
        if (!(error instanceof StoreError) || !error.passing || this.#givenUp.signal.aborted) throw error;
        if (error.fault === 'failed') strange += 1;
        // Neither a full disk nor a lock: perhaps the result itself can't be stored, and would block its channel.
        if (strange > 2 * maxStrangeFaults) throw error;
        if (strange > maxStrangeFaults) settlement = failedInside(error, this.#now());
        this.#log.error('the result of a turn could not be written: trying again', {
          channel: lease.channel,
          error,
        });
        await sleep(delay, undefined, { signal: this.#givenUp.signal }).catch(() => undefined);
      }
    }
    this.#options.onSettled?.(lease, settlement, since);
    await this.#options.handler.settled?.(lease);
    return settlement;
  }

  #tellLost(lease: Lease): undefined {
    this.#log.warn('a turn was taken over by another gateway: its result here is dropped', {
      channel: lease.channel,
      turn: lease.turnId,
    });
  }

  async #beat(): Promise<void> {
    try {
      const leases = [...this.#running.values()].map((turn) => turn.lease);
      const until = this.#now() + this.#options.leaseMs;
      const lost = leases.length === 0 ? [] : await this.#noting(this.#store.heartbeat(leases, until));
      for (const lease of lost) {
        const turn = this.#running.get(lease.channel);
        if (turn?.lease.turnId === lease.turnId) turn.stop.abort({ type: 'lost_lease' } satisfies StopReason);
      }
      await this.#takeOver(false);
      if (this.#state === 'running') this.wake();
    } catch (error) {
      this.#log.error('the leases could not be prolonged', { error });
    }
  }

  async #takeOver(all: boolean): Promise<void> {
    const now = this.#now();
    const abandoned = await this.#store.takeOver({
      worker: this.#options.worker,
      now,
      leaseUntil: now + this.#options.leaseMs,
      all,
    });
    for (const turn of abandoned) {
      this.#watch('took_over');
      this.#log.warn('taking over a turn that was left unfinished', {
        channel: turn.lease.channel,
        turn: turn.lease.turnId,
        tools: turn.turn.tools.length,
      });
      const settlement = await this.#options.handler.recover(turn).catch((error: unknown) => {
        // While the store can't tell which tools had begun, nothing may be decided.
        if (error instanceof StoreError) throw error;
        return this.#broken(turn.lease, error);
      });
      await this.#settle(turn.lease, settlement);
    }
  }

  async #sleepUntilDue(): Promise<void> {
    const due = await this.#store.nextDue();
    clearTimeout(this.#due);
    if (due !== undefined) this.#wakeIn(Math.max(5, due - this.#now()));
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#due);
    if (this.#state !== 'running') return;
    // Never for longer than a minute: the clock may be set.
    this.#due = setTimeout(() => this.wake(), Math.min(ms, 60_000));
  }

  async #noting<T>(work: Promise<T>): Promise<T> {
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

/** About a minute of trying. */
const maxStrangeFaults = 15;

function isLostLease(error: unknown): boolean {
  return error instanceof StoreError && error.fault === 'lost_lease';
}
