import { hasEnded, type StoredEvent } from '../../store/rows.js';
import type { Store } from '../../store/store.js';

/** Those who wait for the end of an event: they look again whenever something happened in its channel. */
export class EventWaiters {
  readonly #store: Pick<Store, 'event'>;
  readonly #looks = new Map<string, Set<() => void>>();
  #closed = false;

  constructor(store: Pick<Store, 'event'>) {
    this.#store = store;
  }

  /** Resolves when the event has ended, the signal is aborted, or nobody will work on it any more. */
  async wait(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined> {
    let event = await this.#store.event(eventId);
    if (event === undefined) return undefined;
    const { channel } = event;
    while (event !== undefined && !hasEnded(event) && !signal.aborted && !this.#closed) {
      await this.#somethingIn(channel, signal);
      if (this.#closed) return event;
      event = await this.#store.event(eventId);
    }
    return event;
  }

  happened(channel: string): void {
    for (const look of this.#looks.get(channel) ?? []) look();
  }

  close(): void {
    this.#closed = true;
    for (const channel of [...this.#looks.keys()]) this.happened(channel);
  }

  #somethingIn(channel: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const looks = this.#looks.get(channel) ?? new Set();
      const look = (): void => {
        looks.delete(look);
        if (looks.size === 0) this.#looks.delete(channel);
        signal.removeEventListener('abort', look);
        resolve();
      };
      looks.add(look);
      this.#looks.set(channel, looks);
      signal.addEventListener('abort', look, { once: true });
    });
  }
}
