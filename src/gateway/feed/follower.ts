/** On average a follower looks no more often than this: what comes meanwhile is read together. */
const pauseMs = 20;
/** So many looks may follow each other at once, after a rest: a turn's beginning and its first word are not held back. */
const looksAtOnce = 8;
/** While tools come and go quickly, the status is told this often at most. */
const statusMs = 150;
/** Other channels are told of this often at most. */
const othersMs = 500;
const maxOthers = 1000;

/** What there is to look at. */
export interface News {
  /** Messages, turns or questions have come or changed. */
  readonly stored: boolean;
  readonly status: boolean;
  readonly others: readonly string[];
}

/** What one reader of a channel has not looked at yet: flags only, so that a slow reader costs no memory. */
export class Follower {
  /** The running turn has said or done more. */
  #grown = true;
  /** Something in the store has changed: messages, turns, the queue, questions. */
  #stored = true;
  /** The status alone has changed. */
  #status = false;
  readonly #others = new Set<string>();
  /** Each look takes up `pauseMs`, from now on or behind the last one: the time that they reach to. */
  #takenUntil = 0;
  #statusTold = Number.NEGATIVE_INFINITY;
  #othersTold = Number.NEGATIVE_INFINITY;
  #ended = false;
  #wake: (() => void) | undefined;

  grew(): void {
    this.#grown = true;
    this.#wake?.();
  }

  changed(): void {
    this.#stored = true;
    this.#wake?.();
  }

  statusChanged(): void {
    this.#status = true;
    this.#wake?.();
  }

  otherChanged(channel: string): void {
    // A reader that has not looked for so long reads the whole list anyway.
    if (this.#others.size < maxOthers) this.#others.add(channel);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** What there is to look at, as soon as there is something. Undefined at the end. */
  async next(): Promise<News | undefined> {
    for (;;) {
      if (this.#ended) return undefined;
      const now = performance.now();
      const due = this.#due;
      if (now >= due) return this.#take(now);
      await this.#wait(due - now);
    }
  }

  /** The time of the next look; infinite if there is nothing to look at. */
  get #due(): number {
    const never = Number.POSITIVE_INFINITY;
    return Math.min(
      this.#grown || this.#stored ? this.#takenUntil - (looksAtOnce - 1) * pauseMs : never,
      this.#status ? this.#statusTold + statusMs : never,
      this.#others.size > 0 ? this.#othersTold + othersMs : never,
    );
  }

  #take(now: number): News {
    const stored = this.#stored;
    const status = stored || (this.#status && now >= this.#statusTold + statusMs);
    const others = now >= this.#othersTold + othersMs ? [...this.#others] : [];
    if (others.length > 0) {
      this.#others.clear();
      this.#othersTold = now;
    }
    if (status) {
      this.#status = false;
      this.#statusTold = now;
    }
    this.#grown = false;
    this.#stored = false;
    this.#takenUntil = Math.max(now, this.#takenUntil) + pauseMs;
    return { stored, status, others };
  }

  /** Waits for `ms`, or until something is due sooner than that. */
  async #wait(ms: number): Promise<void> {
    const until = performance.now() + ms;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
      this.#wake = () => {
        if (!this.#ended && this.#due >= until) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
