import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../config/log.js';
import type { Delivery } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import { FinalFailure } from './final-failure.js';
import type { ChannelKind, PushedChannel } from './types.js';

const batchSize = 200;
/** So many channels are brought something at the same time: enough that some that hang hold no other up. */
const maxAtOnce = 50;
const firstDelayMs = 1000;
const longestDelayMs = 5 * 60_000;
/** With the longest delay, these attempts take about a week: nobody may be there at a weekend. */
const maxAttempts = 2100;
const defaultSweepMs = 30_000;
const defaultStopMs = 5000;

export interface OutboxParts {
  readonly store: Pick<Store, 'undelivered' | 'delivered' | 'notDelivered'>;
  /** The first kind that owns a message's channel delivers it, whoever the message is an answer to. */
  readonly kinds: readonly ChannelKind[];
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  /** The outbox wakes by itself so often: a message that failed before the start has no timer. */
  readonly sweepMs?: number | undefined;
  /** The longest that `stop` waits for deliveries. */
  readonly stopMs?: number | undefined;
}

/**
 * Delivers the gateway's messages: each at least once, in order for each channel, also after a crash. Channels don't wait for
 * each other: each has at most one message under way, the oldest.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  /** The channels whose oldest message is under way, or may not be tried yet although the store takes it for due. */
  readonly #busy = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  /** One timer for each message that is to be tried again. */
  readonly #retries = new Set<NodeJS.Timeout>();
  #sweep: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Looks for messages to deliver. Calls during a look make one more. */
  wake(): void {
    this.#lookAgain = true;
    if (this.#stopped || this.#looking !== undefined) return;
    this.#sweep ??= setInterval(() => this.wake(), this.#parts.sweepMs ?? defaultSweepMs);
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) this.wake();
    });
  }

  /** Resolves when all is delivered that can be, or after a while: what is still under way then is on disk, as the others are. */
  async stop(): Promise<void> {
    const { stopMs = defaultStopMs, log } = this.#parts;
    const timeUp = new AbortController();
    const idle = this.#idle().then(() => true);
    const inTime = await Promise.race([
      idle,
      delay(stopMs, false, { signal: timeUp.signal }).catch(() => true),
    ]);
    timeUp.abort();
    this.#stopped = true;
    clearInterval(this.#sweep);
    for (const timer of this.#retries) clearTimeout(timer);
    if (!inTime) log.warn('deliveries did not end: they are tried again after the next start');
    // A look is short: it waits for the store alone.
    await this.#looking;
  }

  async #idle(): Promise<void> {
    while (!this.#stopped && (this.#looking !== undefined || this.#underWay.size > 0)) {
      await Promise.all([this.#looking, ...this.#underWay]);
    }
  }

  async #look(): Promise<void> {
    const { store, log, now, watch } = this.#parts;
    try {
      for (;;) {
        this.#lookAgain = false;
        // A delivery that ends during the query may still be in its result.
        const busy = new Set(this.#busy);
        const limit = batchSize + maxAtOnce;
        const due = await store.undelivered({ now: now(), limit, longestWaitMs: longestDelayMs });
        if (this.#stopped) return;
        const read: number[] = [];
        for (const delivery of due) {
          if (busy.has(delivery.message.channel)) continue;
          const kind = this.#parts.kinds.find((one) => one.owns(delivery.message.channel));
          if (kind?.type === 'pushed') {
            this.#begin(kind, delivery);
            continue;
          }
          watch('delivering');
          watch('delivered');
          read.push(delivery.id);
        }
        if (read.length === 0) return;
        await store.delivered(read, now());
        watch('marked_delivered');
      }
    } catch (error) {
      log.error('answers could not be delivered: trying again', { error });
      this.#wakeIn(firstDelayMs);
    }
  }

  /** One that finds no room is looked for again when another one has ended. */
  #begin(kind: PushedChannel, delivery: Delivery): void {
    if (this.#underWay.size >= maxAtOnce) return;
    const { channel } = delivery.message;
    this.#busy.add(channel);
    const work = this.#bring(kind, delivery).then(
      () => this.#busy.delete(channel),
      (error: unknown) => {
        if (this.#stopped) return;
        this.#parts.log.error('a delivery could not be recorded: trying again', { channel, error });
        this.#wakeIn(firstDelayMs, () => this.#busy.delete(channel));
      },
    );
    const ended = work.then(() => {
      this.#underWay.delete(ended);
      this.wake();
    });
    this.#underWay.add(ended);
  }

  /** Rejects only if the store does. */
  async #bring(kind: PushedChannel, delivery: Delivery): Promise<void> {
    const { store, now, watch } = this.#parts;
    watch('delivering');
    try {
      await kind.deliver(delivery);
    } catch (error) {
      // After the stop the store is closed.
      if (!this.#stopped) await this.#failed(delivery, error);
      return;
    }
    watch('delivered');
    if (this.#stopped) return;
    await store.delivered([delivery.id], now());
    watch('marked_delivered');
  }

  async #failed({ id, attempts, message }: Delivery, thrown: unknown): Promise<void> {
    const { store, log, now } = this.#parts;
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const fields = { channel: message.channel, delivery: id, attempts, error };
    if (thrown instanceof FinalFailure || attempts + 1 >= maxAttempts) {
      const hint = thrown instanceof FinalFailure ? { hint: thrown.hint } : {};
      log.error('an answer could not be delivered and is given up; it is in the archive', {
        ...fields,
        ...hint,
      });
      return store.notDelivered(id, { error });
    }
    log.warn('an answer could not be delivered: trying again', fields);
    const wait = Math.min(firstDelayMs * 2 ** attempts, longestDelayMs);
    await store.notDelivered(id, { error, notBefore: now() + wait });
    this.#wakeIn(wait);
  }

  #wakeIn(ms: number, before?: () => void): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      before?.();
      this.wake();
    }, ms);
    this.#retries.add(timer);
  }
}
