import { hasEnded, type StoredEvent } from '../../store/rows.js';
import type { Store } from '../../store/store.js';

/** Lets callers wait for the end of an event: each reads it again whenever something changes in its channel. */
export class EventWaiters {
  readonly #store: Pick<Store, 'event'>;
  readonly #listeners = new Map<string, Set<() => void>>();
  #closed = false;

  constructor(store: Pick<Store, 'event'>) {
    this.#store = store;
  }

  /** Resolves with the event when it has ended, the signal is aborted, or the gateway closes. */
  async wait(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined> {
    let event = await this.#store.event(eventId);
    if (event === undefined) return undefined;
    const { channel } = event;
    while (event !== undefined && !hasEnded(event) && !signal.aborted && !this.#closed) {
      await this.#nextChange(channel, signal);
      if (this.#closed) return event;
      event = await this.#store.event(eventId);
    }
    return event;
  }

  channelChanged(channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener();
  }

  close(): void {
    this.#closed = true;
    for (const channel of [...this.#listeners.keys()]) this.channelChanged(channel);
  }

  #nextChange(channel: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listeners = this.#listeners.get(channel) ?? new Set();
      const listener = (): void => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(channel);
        signal.removeEventListener('abort', listener);
        resolve();
      };
      listeners.add(listener);
      this.#listeners.set(channel, listeners);
      signal.addEventListener('abort', listener, { once: true });
    });
  }
}
