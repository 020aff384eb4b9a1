import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Log } from '../../config/log.js';
import { within } from '../../core/wait.js';
import type { StoredEvent } from '../../store/rows.js';
import type { Accepted, AcceptOptions, Claim, Lease, NewEvent, Store } from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import type { TurnHandler } from '../turns/turn-handler.js';
import {
  droppedWaiting,
  type Settlement,
  type Stoppable,
  type Stopped,
  type TurnStop,
} from '../turns/verdicts.js';
import { defaultPause, LeaseKeeper } from './lease-keeper.js';
import { cancellationOf, postponedHead } from './postponed.js';
import type { TurnAtWork } from './turn-at-work.js';

export interface QueueOptions {
  readonly store: Store;
  readonly handler: TurnHandler;
  readonly worker: string;
  readonly maxConcurrentTurns: number;
  readonly maxQueueDepth: number;
  readonly leaseMs: number;
  /** The longest that a message may wait for its retry. A clock that is set back must not prolong that. */
  readonly longestWaitMs?: number | undefined;
  /** A drain waits so long for turns that were told to stop, and for their results to be stored. */
  readonly stopTimeoutMs?: number | undefined;
  readonly log: Log;
  readonly now?: () => number;
  readonly watch?: Watcher | undefined;
  /** Waits between two attempts to write a settlement. Default: real time. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Called after a turn's settlement is on disk. */
  readonly onSettled?:
    | ((lease: Lease, settlement: Settlement, since: number | undefined) => void)
    | undefined;
  /** Called after a message was cancelled that was in no turn. */
  readonly onCancelled?: ((channel: string) => void) | undefined;
}

/** What a stop is about; anything, unless given. */
interface StopTarget {
  /** Only a message that came before this one. */
  readonly beforeSeq?: number | undefined;
  /** Only this turn, or the retry that waits behind it. */
  readonly turnId?: string | undefined;
}

const defaultStopTimeoutMs = 15_000;

/** Whoever asks what could be stopped waits this long for a settlement that is being written. */
const writeMs = 1000;

/**
 * Works through the store's events: one turn at a time for each channel, channels side by side. A channel is free for its
 * next turn when `LeaseKeeper` has stored the settlement of the last one.
 */
export class EventQueue {
  readonly #options: QueueOptions;
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #watch: Watcher;
  readonly #leases: LeaseKeeper;
  readonly #running = new Map<string, TurnAtWork>();
  /** Aborted when the queue begins no more turns. */
  readonly #drained = new AbortController();
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #claiming: Promise<void> | undefined;
  #lookAgain = false;
  /** The problem that was logged when the queue could not be read. */
  #unreadable: string | undefined;
  #dueTimer: NodeJS.Timeout | undefined;

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
      ...(options.pause === undefined ? {} : { pause: options.pause }),
      heldLeases: () => this.leases,
      onLeaseLost: (lease) => this.#stopLost(lease),
      recover: (turn, signal) => handler.recover(turn, signal),
      onSettled: async (lease, settlement, since) => {
        options.onSettled?.(lease, settlement, since);
        await handler.settled?.(lease);
      },
      onBeat: () => {
        if (this.#state === 'running') this.wake();
      },
    });
  }

  /** The number of settlements that could not be written so far. */
  get unwritten(): number {
    return this.#leases.unwritten;
  }

  get size(): number {
    return this.#running.size;
  }

  get leases(): readonly Lease[] {
    return [...this.#running.values()].map(({ lease }) => lease);
  }

  /** True also while the turn of a former gateway is recovered. */
  isRunning(channel: string): boolean {
    return this.#turnOf(channel) !== undefined;
  }

  runningSince(channel: string): number | undefined {
    return this.#turnOf(channel)?.since;
  }

  #turnOf(channel: string): TurnAtWork | undefined {
    return this.#running.get(channel) ?? this.#leases.recovering(channel);
  }

  /** Takes over the turns of a former gateway, which are settled beside the work, and begins to work. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#state = 'running';
    this.wake();
  }

  /** The event is on disk when this resolves. */
  async accept(event: NewEvent, options: Omit<AcceptOptions, 'maxWaiting'> = {}): Promise<Accepted> {
    this.#watch('accepting');
    const accepted = await this.#store.accept(event, {
      ...options,
      maxWaiting: this.#options.maxQueueDepth,
    });
    this.#watch('accepted');
    if (accepted.cancelled !== undefined) this.#options.onCancelled?.(event.channel);
    if (accepted.event.state === 'queued' || accepted.cancelled !== undefined) this.wake();
    return accepted;
  }

  /** What a stop would end now; undefined if nothing runs and nothing waits for its retry. */
  async stoppable(channel: string, reason: Stopped): Promise<Stoppable | undefined> {
    await this.#claiming;
    const turn = this.#turnOf(channel);
    if (turn?.decided !== undefined) {
      await within(writeMs, turn.done);
      if (this.#turnOf(channel) !== turn) return this.stoppable(channel, reason);
    }
    if (turn !== undefined) {
      const isOver = turn.decided?.type === 'finish';
      return { turnId: turn.lease.turnId, eventSeq: turn.eventSeq, isOver, cancels: [] };
    }
    const head = await postponedHead(this.#store, channel);
    if (head === undefined) return undefined;
    const cancels = [await cancellationOf(this.#store, head, reason, this.#now())];
    return { eventSeq: head.seq, isOver: false, cancels };
  }

  /** The time when a channel's first message is tried again; undefined while its turn runs, or if it has not been tried. */
  async retryAt(channel: string): Promise<number | undefined> {
    return this.isRunning(channel) ? undefined : (await postponedHead(this.#store, channel))?.notBefore;
  }

  /**
   * Ends a channel's running turn, or the message that waits for its retry, if it is the one that is meant. Resolves when it
   * has ended. False if there is none, or if it came to another end at this very moment.
   */
  async stop(channel: string, reason: Stopped, target: StopTarget = {}): Promise<boolean> {
    // A turn that is being claimed at this moment is known here after the claim.
    await this.#claiming;
    if (!this.isRunning(channel) && (await this.#cancelRetry(channel, reason, target))) return true;
    const turn = this.#turnOf(channel);
    if (turn === undefined || !isMeant(target, turn.eventSeq, turn.lease.turnId)) return false;
    turn.stop.abort(reason);
    const settlement = await turn.done;
    if (settlement?.type === 'postpone') {
      if (await this.#cancelRetry(channel, reason, target)) return true;
      // A message that is tried again at once may be in its next turn by now.
      return this.isRunning(channel) && this.stop(channel, reason, { beforeSeq: turn.eventSeq + 1 });
    }
    return settlement?.type === 'finish' && settlement.outcome.state === 'cancelled';
  }

  /** Like `stop`, for a stop that has been accepted: while the store fails, it is tried again. */
  async stopSurely(channel: string, reason: Stopped, beforeSeq: number): Promise<void> {
    const { log, pause = defaultPause } = this.#options;
    for (let delay = 100; ; delay = Math.min(delay * 2, 5000)) {
      try {
        await this.stop(channel, reason, { beforeSeq });
        return;
      } catch (error) {
        if (this.#state !== 'running') return;
        log.error('what was stopped could not be ended: trying again', { channel, error });
        await pause(delay, this.#drained.signal).catch(() => undefined);
      }
    }
  }

  async #cancelRetry(channel: string, reason: Stopped, target: StopTarget): Promise<boolean> {
    const head = await postponedHead(this.#store, channel);
    if (head === undefined) return false;
    const turnId = target.turnId && (await this.#store.turns(head.id)).at(-1)?.id;
    if (!isMeant(target, head.seq, turnId)) return false;
    const cancelled = await this.#store.cancelWaiting(
      await cancellationOf(this.#store, head, reason, this.#now()),
    );
    if (cancelled.length === 0) {
      // The message was due at this very moment: after the running claim its turn is known here.
      await this.#claiming;
      return false;
    }
    this.#options.onCancelled?.(channel);
    this.wake();
    return true;
  }

  /** Drops a message that waits. False if it does not, any more. */
  async cancel(event: StoredEvent): Promise<boolean> {
    const { channel } = event;
    const request =
      event.notBefore === undefined
        ? droppedWaiting(event, this.#now())
        : await cancellationOf(this.#store, event, { type: 'stopped', by: 'its sender' }, this.#now());
    const cancelled = await this.#store.cancelWaiting(request);
    if (cancelled.length === 0) return false;
    this.#options.onCancelled?.(channel);
    this.wake();
    return true;
  }

  /** Looks for work. Many calls in a row are one look. */
  wake(): void {
    this.#lookAgain = true;
    this.#claiming ??= nextLoop().then(() => this.#claimWhileFree());
  }

  /** Begins no new turns; the running ones get `graceMs`, then they are stopped. Waiting messages stay on disk. */
  async drain(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'draining';
    this.#drained.abort();
    clearTimeout(this.#dueTimer);
    // A turn that is being claimed at this moment has to be drained too.
    await this.#claiming;
    if (this.#running.size > 0 && graceMs > 0) await this.#untilIdle(graceMs);
    for (const turn of this.#running.values()) turn.stop.abort({ type: 'drain' } satisfies TurnStop);
    // The drain does not wait for ever for an agent that does not stop or a disk that takes no result: the next start
    // takes the turn over.
    const stopTimeoutMs = this.#options.stopTimeoutMs ?? defaultStopTimeoutMs;
    const giveUpTimer = setTimeout(() => this.#leases.giveUp(), (stopTimeoutMs * 2) / 3);
    await this.#untilIdle(stopTimeoutMs);
    clearTimeout(giveUpTimer);
    for (const { lease } of this.#running.values())
      this.#log.error('a turn did not stop: it is left to the next start', { channel: lease.channel });
    await this.#leases.stop();
    this.#state = 'stopped';
  }

  /** Resolves when no turn runs, or after `graceMs`. */
  async #untilIdle(graceMs: number): Promise<void> {
    if (graceMs > 0) await within(graceMs, Promise.all([...this.#running.values()].map((turn) => turn.done)));
  }

  async #claimWhileFree(): Promise<void> {
    try {
      while (this.#lookAgain && this.#state === 'running') {
        this.#lookAgain = false;
        const free = this.#options.maxConcurrentTurns - this.#running.size;
        if (free <= 0) break;
        const now = this.#now();
        const claims = await this.#store.claim({
          worker: this.#options.worker,
          now,
          leaseUntil: now + this.#options.leaseMs,
          limit: free,
          longestWaitMs: this.#options.longestWaitMs,
        });
        if (this.#unreadable !== undefined) this.#log.info('the queue can be read again');
        this.#unreadable = undefined;
        for (const claim of claims) this.#begin(claim);
        if (claims.length === free) this.#lookAgain = true;
      }
      if (this.#state === 'running') await this.#sleepUntilDue();
    } catch (error) {
      // A disk may be full for hours: the same problem is not logged each second.
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#unreadable) this.#log.error('the queue could not be read', { error });
      this.#unreadable = problem;
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
    const attempt = () => this.#options.handler.run(claim, stop.signal);
    const decide = (settlement: Settlement) => {
      turn.decided = settlement;
    };
    const done = this.#leases
      .settle(claim.lease, attempt, since, decide)
      .catch((error: unknown): undefined => {
        this.#log.error('a turn could not be settled', { channel, error });
      })
      .finally(() => {
        // The result has been on disk for a while: the channel may have its next turn already.
        if (this.#running.get(channel)?.lease.turnId === claim.lease.turnId) this.#running.delete(channel);
        this.wake();
      });
    const { lease, event } = claim;
    const turn: TurnAtWork = { lease, eventSeq: event.seq, stop, done, since };
    this.#running.set(channel, turn);
  }

  /** Stops a turn that another gateway has taken over: that gateway settles it. */
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
    // A wait never lasts longer than a minute: the clock may be set.
    this.#dueTimer = setTimeout(() => this.wake(), Math.min(ms, 60_000));
  }
}

function isMeant(target: StopTarget, eventSeq: number, turnId: string | undefined): boolean {
  const { beforeSeq = Number.POSITIVE_INFINITY } = target;
  return eventSeq < beforeSeq && (target.turnId === undefined || target.turnId === turnId);
}
