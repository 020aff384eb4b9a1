import { abortable } from '../core/wait.js';

/** A holder that keeps a session open between its turns. */
export interface Writer {
  /** Called before another holder writes to the session: the state kept of it would be out of date. */
  giveWay(): Promise<void>;
}

/**
 * Locks with one holder at a time for each key, in the order of asking. A writer that keeps the session open
 * after its turn gives way before another holder begins: two Claude processes with the same session would
 * each silently lose the other's turns.
 */
export class TurnLocks {
  readonly #tails = new Map<string, Promise<void>>();
  /** The writer that has the session open, by key. */
  readonly #writers = new Map<string, Writer>();

  /** Makes the holders and waiters of `from` hold `to` as well: a session's first turn reveals its id. */
  alias(from: string, to: string): void {
    const tail = this.#tails.get(from);
    if (tail === undefined || from === to) return;
    this.#setWriter(to, this.#writers.get(from));
    this.#writers.delete(from);
    this.#follow(
      to,
      Promise.all([tail, this.#tails.get(to)]).then(() => undefined),
    );
  }

  /** Returns the release if nobody holds or awaits the key and no other writer has the session open. */
  tryAcquire(key: string, writer: Writer): (() => void) | undefined {
    const open = this.#writers.get(key);
    if (this.#tails.has(key) || (open !== undefined && open !== writer)) return undefined;
    this.#writers.set(key, writer);
    return this.#hold(key, undefined);
  }

  /**
   * Resolves with the release when it is the caller's turn; rejects with the signal's reason. Without
   * `writer`, nobody has the session open afterwards.
   */
  async acquire(key: string, signal?: AbortSignal, writer?: Writer): Promise<() => void> {
    const before = this.#tails.get(key);
    const release = this.#hold(key, before);
    try {
      await abortable(before ?? Promise.resolve(), signal);
      const open = this.#writers.get(key);
      this.#setWriter(key, writer);
      if (open !== writer) await open?.giveWay();
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Forgets a writer that has closed the session. */
  leave(writer: Writer): void {
    for (const [key, open] of this.#writers) if (open === writer) this.#writers.delete(key);
  }

  #setWriter(key: string, writer: Writer | undefined): void {
    if (writer === undefined) this.#writers.delete(key);
    else this.#writers.set(key, writer);
  }

  #hold(key: string, before: Promise<void> | undefined): () => void {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#follow(key, before === undefined ? held : before.then(() => held));
    return release;
  }

  #follow(key: string, tail: Promise<void>): void {
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
  }
}
