import type { Log } from '../config/log.js';
import { StoreError, type StoreFault } from '../store/errors.js';
import type { Accepted, Store } from '../store/store.js';

export interface StoreHealthOptions {
  readonly store: Store;
  readonly log: Log;
  /** The time between two probes of a store that has failed. */
  readonly probeMs?: number | undefined;
}

/**
 * Knows whether the store works. Every call through `store` is looked at; after one that failed, a write is tried each
 * second until it succeeds. A call that changed nothing proves nothing: it may not have reached the disk.
 */
export class StoreHealth {
  /** The store, watched. */
  readonly store: Store;
  readonly #options: StoreHealthOptions;
  #fault: StoreFault | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
    const methods = Object.entries(options.store) as [keyof Store, (...given: never[]) => Promise<unknown>][];
    const watched = methods.map(([name, method]) => [
      name,
      (...given: never[]) => this.#watch(name, method(...given)),
    ]);
    this.store = Object.fromEntries(watched) as unknown as Store;
  }

  /** The fault of the store, without the path of its file; undefined if it works. */
  get problem(): string | undefined {
    return this.#fault === undefined ? undefined : problems[this.#fault];
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #watch(name: keyof Store, call: Promise<unknown>): Promise<unknown> {
    try {
      const result = await call;
      if (this.#fault !== undefined && hasWritten(name, result)) this.#works();
      return result;
    } catch (error) {
      if (error instanceof StoreError && isFaultOfStore(error)) this.#failed(error);
      throw error;
    }
  }

  #failed(error: StoreError): void {
    const { log, store, probeMs = 1000 } = this.#options;
    if (this.#fault === undefined) log.error('the store fails', { error });
    this.#fault = error.fault;
    let probing = false;
    this.#timer ??= setInterval(() => {
      if (probing) return;
      probing = true;
      // The fault that is shown stays the one that was met: a probe's own says nothing new.
      store
        .probe()
        .then(
          () => this.#works(),
          () => undefined,
        )
        .finally(() => {
          probing = false;
        });
    }, probeMs).unref();
  }

  #works(): void {
    this.stop();
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#options.log.info('the store works again');
  }
}

function isFaultOfStore({ fault, refusesNewWork }: StoreError): boolean {
  return fault !== 'lost_lease' && fault !== 'closed' && !refusesNewWork;
}

/** True if the call has certainly changed something on disk. */
function hasWritten(name: keyof Store, result: unknown): boolean {
  if (name === 'accept') return !(result as Accepted).repeated;
  return name === 'finish' || name === 'postpone' || name === 'post';
}

const problems: Readonly<Record<StoreFault, string>> = {
  full: 'The disk of the store is full: free some space; no restart is needed.',
  locked: 'The store is locked by another program: close what has it open.',
  io: 'The disk or the system fails on the store; the log says how.',
  read_only: "The store can't be written: give the gateway the right to write its directory.",
  corrupt: 'The store reads as damaged; the log says more.',
  failed: 'The store failed; the log says how.',
  lost_lease: '',
  closed: '',
};
