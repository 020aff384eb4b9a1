import type { Log } from '../config/log.js';
import { describeLost, remedyFor, StoreError, type StoreFault } from '../store/errors.js';
import type { Accepted, Store } from '../store/store.js';

export interface StoreHealthOptions {
  readonly store: Store;
  readonly log: Log;
  /** The time between two looks at the store, and between two probes of one that has failed. */
  readonly probeMs?: number | undefined;
}

/**
 * Knows whether the store works. Every call through `store` is looked at, and each second whether its files are still there.
 * After a failure, a write is tried each second until it succeeds. A call that changed nothing proves nothing: it may not have
 * reached the disk.
 */
export class StoreHealth {
  /** The store, watched. */
  readonly store: Store;
  readonly #options: StoreHealthOptions;
  #failure: StoreError | undefined;
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
    if (this.#failure === undefined) return undefined;
    const { fault, lost } = this.#failure;
    return lost === undefined ? problems[fault] : `${describeLost(lost)} ${remedyFor(lost)}`;
  }

  /** Looks at the store from now on. */
  start(): void {
    let isLooking = false;
    this.#timer ??= setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      this.#look().finally(() => {
        isLooking = false;
      });
    }, this.#options.probeMs ?? 1000).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #watch(name: keyof Store, call: Promise<unknown>): Promise<unknown> {
    try {
      const result = await call;
      if (this.#failure !== undefined && provesItWorks(this.#failure, name, result)) this.#works();
      return result;
    } catch (error) {
      if (error instanceof StoreError && isFaultOfStore(error)) this.#failed(error);
      throw error;
    }
  }

  async #look(): Promise<void> {
    const { store } = this.#options;
    try {
      if (this.#failure === undefined) return await this.store.check();
      await store.probe();
      this.#works();
    } catch (error) {
      // The fault that is shown stays the one that was met, unless the reason turns out to be a lost file.
      if (error instanceof StoreError && error.lost !== undefined) this.#failed(error);
    }
  }

  #failed(error: StoreError): void {
    const isNews =
      this.#failure === undefined || (error.lost !== undefined && this.#failure.lost === undefined);
    if (isNews) this.#options.log.error('the store fails', { error });
    this.#failure = error;
    this.start();
  }

  #works(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.log.info('the store works again');
  }
}

function isFaultOfStore({ fault, refusesNewWork }: StoreError): boolean {
  return fault !== 'lost_lease' && fault !== 'closed' && !refusesNewWork;
}

/** True if the call has certainly changed something on disk. Work that has begun is also written without the lock file. */
function provesItWorks({ fault }: StoreError, name: keyof Store, result: unknown): boolean {
  if (fault === 'lost_file') return false;
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
  lost_file: 'A file of the store was removed, replaced or truncated; the log says which.',
  lost_lease: '',
  closed: '',
};
