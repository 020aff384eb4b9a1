import type { Log } from '../../config/log.js';
import type { Delivery } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import type { ChannelKind } from './types.js';

const batchSize = 200;
const firstDelayMs = 1000;
const longestDelayMs = 5 * 60_000;
/** With the longest delay, these attempts take about a day. */
const maxAttempts = 300;
const defaultSweepMs = 30_000;

export interface OutboxParts {
  readonly store: Pick<Store, 'undelivered' | 'delivered' | 'notDelivered'>;
  /** The first kind that owns a message's channel delivers it, whoever the message is an answer to. */
  readonly kinds: readonly ChannelKind[];
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  /** The outbox wakes by itself so often: a message that failed before the start has no timer. */
  readonly sweepMs?: number | undefined;
}

/** Delivers the gateway's messages: each at least once, in order for each channel, also after a crash. */
export class Outbox {
  readonly #parts: OutboxParts;
  #running: Promise<void> | undefined;
  #lookAgain = false;
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
    if (this.#stopped || this.#running !== undefined) return;
    this.#sweep ??= setInterval(() => this.wake(), this.#parts.sweepMs ?? defaultSweepMs);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#lookAgain) this.wake();
    });
  }

  /** Resolves when the running deliveries have ended. The other messages are on disk. */
  async stop(): Promise<void> {
    await this.#running;
    this.#stopped = true;
    await this.#running;
    clearInterval(this.#sweep);
    for (const timer of this.#retries) clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { store, log, now } = this.#parts;
    try {
      for (;;) {
        this.#lookAgain = false;
        const due = await store.undelivered({
          now: now(),
          limit: batchSize,
          longestWaitMs: longestDelayMs,
        });
        if (due.length === 0) return;
        await this.#deliverAll(due);
      }
    } catch (error) {
      log.error('answers could not be delivered: trying again', { error });
      this.#wakeIn(firstDelayMs);
    }
  }

  async #deliverAll(due: readonly Delivery[]): Promise<void> {
    const { store, now, watch } = this.#parts;
    const outcomes = await Promise.all(due.map((delivery) => this.#deliver(delivery)));
    const done = due.filter((_, index) => outcomes[index] === undefined).map(({ id }) => id);
    if (done.length > 0) {
      await store.delivered(done, now());
      watch('marked_delivered');
    }
    for (const [index, delivery] of due.entries()) {
      const error = outcomes[index];
      if (error !== undefined) await this.#failed(delivery, error);
    }
  }

  /** The error's message, or undefined if the delivery succeeded. */
  async #deliver(delivery: Delivery): Promise<string | undefined> {
    this.#parts.watch('delivering');
    try {
      const kind = this.#parts.kinds.find((one) => one.owns(delivery.message.channel));
      if (kind?.type === 'pushed') await kind.deliver(delivery);
      this.#parts.watch('delivered');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #failed(delivery: Delivery, error: string): Promise<void> {
    const { store, log, now } = this.#parts;
    const { id, attempts, message } = delivery;
    const fields = { channel: message.channel, delivery: id, attempts, error };
    if (attempts + 1 >= maxAttempts) {
      log.error('an answer could not be delivered and is given up; it is in the archive', fields);
      return store.notDelivered(id, { error });
    }
    log.warn('an answer could not be delivered: trying again', fields);
    const delay = Math.min(firstDelayMs * 2 ** attempts, longestDelayMs);
    await store.notDelivered(id, { error, notBefore: now() + delay });
    this.#wakeIn(delay);
  }

  #wakeIn(ms: number): void {
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.wake();
    }, ms);
    this.#retries.add(timer);
  }
}
