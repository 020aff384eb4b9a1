import type { LiveProcess } from '../backends/live/types.js';

/** A process of the pool, held by the sessions that live in it. */
export interface PooledProcess {
  readonly process: LiveProcess;
  readonly alive: boolean;
  /** Alive, and not given up. */
  readonly usable: boolean;
  /** A turn runs in it: it is not ended for want of room. */
  busy(): void;
  idle(): void;
  /** The session gives its place back. Resolves at once, or when the process is gone where that was its last one. */
  release(): Promise<void>;
  /** It takes no more sessions, and ends when those that it has are gone: one session's trouble is not the others'. */
  retire(): void;
}

/** The pool's own side of it: who holds it, whether a turn runs in it, since when it is idle. */
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

  /** It ends, or has no reason not to: it takes no sessions, and those that it has can go on elsewhere. */
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

  /** From now on it is idle, unless a turn runs. */
  #used(): void {
    this.idleSince = performance.now();
    if (this.#timer === undefined) this.#watchIdle(this.#idleMs);
  }

  /** The timer is not set anew for every turn: when it rings it looks how long the process has been idle. */
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
