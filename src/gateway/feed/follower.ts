/** On average a follower looks no more often than this: what comes meanwhile is read together. */
const pauseMs = 20;
/** So many looks may follow each other at once, after a rest: a turn's beginning and its first word are not held back. */
const looksAtOnce = 8;
/** Other channels are told of this often at most. */
const othersMs = 500;
const maxOthers = 1000;

/** What one reader of a channel has not looked at yet: flags only, so that a slow reader costs no memory. */
export class Follower {
  /** The running turn has said or done more. */
  #grown = true;
  /** Something in the store has changed: messages, turns, the queue, questions. */
  #changed = true;
  readonly #others = new Set<string>();
  #othersTold = 0;
  /** Each look takes up `pauseMs`, from now on or behind the last one: the time that they reach to. */
  #takenUntil = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  grew(): void {
    this.#grown = true;
    this.#wake?.();
  }

  changed(): void {
    this.#changed = true;
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
  async next(): Promise<{ readonly changed: boolean; readonly others: readonly string[] } | undefined> {
    for (;;) {
      if (this.#ended) return undefined;
      const now = performance.now();
      const isNews = this.#grown || this.#changed;
      if (!isNews && this.#others.size === 0) {
        await this.#wait();
        continue;
      }
      const due = isNews ? this.#takenUntil - (looksAtOnce - 1) * pauseMs : this.#othersTold + othersMs;
      if (now >= due) return this.#take(now);
      // More news does not shorten the pause behind the last look.
      await this.#wait({ ms: due - now, isPause: isNews });
    }
  }

  #take(now: number) {
    const isDue = now >= this.#othersTold + othersMs;
    const others = isDue ? [...this.#others] : [];
    if (isDue) this.#others.clear();
    if (others.length > 0) this.#othersTold = now;
    const changed = this.#changed;
    this.#takenUntil = Math.max(now, this.#takenUntil) + pauseMs;
    this.#grown = false;
    this.#changed = false;
    return { changed, others };
  }

  async #wait({
    ms,
    isPause = false,
  }: {
    readonly ms?: number;
    readonly isPause?: boolean;
  } = {}): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        if (isPause && !this.#ended) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
