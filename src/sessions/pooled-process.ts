import type { LiveProcess } from '../backends/live/types.js';

/** A process of the pool, held by the sessions that are open in it. */
export interface PooledProcess {
  readonly process: LiveProcess;
  readonly alive: boolean;
  /** True if the process is alive and not retired. */
  readonly usable: boolean;
  /** Marks the beginning of a turn. While one runs, the process is not ended to make room. */
  busy(): void;
  idle(): void;
  /**
   * Gives the session's place back. If the process is retired and this was its last session, resolves when it
   * is gone; else at once.
   */
  release(): Promise<void>;
  /**
   * Takes no more sessions from now on, and ends the process when its last one leaves: one session's trouble
   * must not end the others.
   */
  retire(): void;
}

/** The pool's record of a process: the number of its sessions and turns, and since when it is idle. */
export class PoolEntry implements PooledProcess {
  readonly key: string;
  readonly process: LiveProcess;
  holders = 0;
  idleSince = performance.now();
  alive = true;
  readonly #idleMs: number;
  readonly #free: () => void;
  #turns = 0;
  #retired = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    key: string,
    process: LiveProcess,
    idleMs: number,
    tell: { readonly gone: (entry: PoolEntry) => void; readonly free: () => void },
  ) {
    this.key = key;
    this.process = process;
    this.#idleMs = idleMs;
    this.#free = tell.free;
    void process.exited.then(() => {
      this.alive = false;
      clearTimeout(this.#timer);
      tell.gone(this);
    });
    this.#watchIdle(idleMs);
  }

  get usable(): boolean {
    return this.alive && !this.#retired;
  }

  get evictable(): boolean {
    return this.alive && this.#turns === 0;
  }

  /**
   * True if the process has ended, or is retired without a turn: it takes no sessions, and those in it can go
   * on elsewhere.
   */
  get isOfNoUse(): boolean {
    return !this.alive || (this.#retired && this.#turns === 0);
  }

  hold(): this {
    this.holders += 1;
    this.#used();
    return this;
  }

  busy(): void {
    this.#turns += 1;
  }

  idle(): void {
    this.#turns -= 1;
    this.#used();
    if (this.#turns === 0) this.#free();
  }

  async release(): Promise<void> {
    this.holders -= 1;
    this.#used();
    if (this.#retired && this.holders === 0) await this.end();
  }

  retire(): void {
    this.#retired = true;
  }

  async end(): Promise<void> {
    this.alive = false;
    clearTimeout(this.#timer);
    await this.process.end();
  }

  /** Restarts the idle time. */
  #used(): void {
    this.idleSince = performance.now();
    if (this.#timer === undefined) this.#watchIdle(this.#idleMs);
  }

  /** The timer is not set again for every turn: when it rings, it checks how long the process was idle. */
  #watchIdle(ms: number): void {
    if (!this.alive) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#turns > 0) return;
      const left = this.idleSince + this.#idleMs - performance.now();
      if (left > 0) this.#watchIdle(left);
      else void this.end();
    }, ms).unref();
  }
}
