import type { UserMessage } from './read-messages.js';

/** A message and the controller that stops its turn, from the arrival of the message on. */
export interface Job {
  readonly message: UserMessage;
  readonly stop: AbortController;
}

const maxWaiting = 1000;
const maxWaitingChars = 64 * 1024 * 1024;

/** Holds messages until the turn before them has ended. */
export class Inbox {
  #current: Job | undefined;
  #waiting: Job[] = [];
  #closed = false;
  #ring: (() => void)[] = [];

  /** Resolves when there is room for more: a client that sends faster is not read from. */
  async put(message: UserMessage): Promise<void> {
    this.#waiting.push({ message, stop: new AbortController() });
    this.#changed();
    while (this.#isFull() && !this.#closed) await this.#change();
  }

  close(): void {
    this.#closed = true;
    this.#changed();
  }

  /** Drops the waiting messages without an answer, and closes. */
  drop(): void {
    this.#waiting = [];
    this.close();
  }

  /** Stops the running turn, or the next one. */
  stopCurrent(): void {
    (this.#current ?? this.#waiting[0])?.stop.abort();
  }

  /** Removes a message whose turn has not begun. */
  cancel(id: string): boolean {
    const others = this.#waiting.filter(({ message }) => message.id !== id);
    const found = others.length < this.#waiting.length;
    this.#waiting = others;
    if (found) this.#changed();
    return found;
  }

  /** The ids of the messages that wait behind the running turn. */
  queued(): readonly string[] {
    const behind = this.#current === undefined ? this.#waiting.slice(1) : this.#waiting;
    return behind.flatMap(({ message }) => (message.id === undefined ? [] : [message.id]));
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Job> {
    for (;;) {
      this.#current = this.#waiting.shift();
      this.#changed();
      if (this.#current !== undefined) yield this.#current;
      else if (this.#closed) return;
      else await this.#change();
    }
  }

  #isFull(): boolean {
    const chars = this.#waiting.reduce((sum, { message }) => sum + message.prompt.length, 0);
    return this.#waiting.length >= maxWaiting || chars > maxWaitingChars;
  }

  #change(): Promise<void> {
    return new Promise((rung) => this.#ring.push(rung));
  }

  #changed(): void {
    for (const ring of this.#ring.splice(0)) ring();
  }
}
