/** Remembers facts about the sessions seen last: a CLI's counters run on over a whole session. */
export class RecentSessions<T> {
  readonly #facts = new Map<string, T>();
  readonly #most: number;

  constructor(most = 1000) {
    this.#most = most;
  }

  get(sessionId: string | undefined): T | undefined {
    return sessionId === undefined ? undefined : this.#facts.get(sessionId);
  }

  set(sessionId: string, facts: T): void {
    this.#facts.delete(sessionId);
    this.#facts.set(sessionId, facts);
    const oldest = this.#facts.keys().next();
    if (this.#facts.size > this.#most && !oldest.done) this.#facts.delete(oldest.value);
  }
}
