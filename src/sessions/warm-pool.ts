import type { LiveProcess, LiveProtocol, LiveSessionOptions } from '../backends/live/types.js';
import { defaultPoolLimits, type PoolLimits } from '../config/limits.js';
import { TurnoutError } from '../core/errors.js';
import { abortable } from '../core/wait.js';
import { residentBytes } from '../process/measure-memory.js';
import { PoolEntry, type PooledProcess } from './pooled-process.js';
import { ProcessStart } from './process-start.js';

export type { PooledProcess } from './pooled-process.js';

/** A kind of process: processes of the same kind are interchangeable. */
export interface ProcessKind {
  readonly key: string;
  readonly protocol: LiveProtocol;
  /** If the signal is aborted, the start ends with nothing left behind. */
  start(signal: AbortSignal): Promise<LiveProcess>;
}

/**
 * Keeps CLI processes warm: shared where the protocol holds many sessions, reused for a new session where it
 * holds one, capped in number and memory, ended when idle, replaced when they die, drained at close.
 */
export class WarmPool {
  readonly #limits: PoolLimits;
  readonly #entries = new Set<PoolEntry>();
  readonly #waiting: (() => void)[] = [];
  readonly #starts = new Set<ProcessStart<PoolEntry>>();
  /** The kinds whose spares are being started. */
  readonly #stocking = new Set<string>();
  /** The number of places reserved for processes that are starting. */
  #reserved = 0;
  #closed = false;

  constructor(limits: Partial<PoolLimits> = {}) {
    this.#limits = { ...defaultPoolLimits, ...limits };
  }

  get size(): number {
    return this.#entries.size;
  }

  async residentBytes(): Promise<number> {
    const sizes = await Promise.all([...this.#entries].map(({ process }) => residentBytes(process.pid)));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * Returns a process for one session. If the protocol holds one session per process, a resumed session gets
   * a fresh one, or the one that still holds it.
   */
  async acquire(
    kind: ProcessKind,
    options: LiveSessionOptions,
    signal?: AbortSignal,
  ): Promise<PooledProcess> {
    this.#checkOpen();
    if (options.sessionId !== undefined) await this.#endOtherWriters(kind, signal);
    return kind.protocol.sessionsPerProcess === 'many'
      ? this.#share(kind, signal)
      : this.#own(kind, options, signal);
  }

  /** Ends every process, also those that are starting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    for (const start of this.#starts) start.cancel(closedMessage);
    await Promise.allSettled([...this.#starts].map(({ started }) => started));
    await Promise.all([...this.#entries].map((entry) => entry.end()));
  }

  /**
   * A session has one writer at a time, and a retired process may still be that writer: Codex refuses to
   * resume a thread that another process holds, and a stuck one holds it until it is killed.
   */
  async #endOtherWriters(kind: ProcessKind, signal?: AbortSignal): Promise<void> {
    const dying = [...this.#entries].filter((entry) => entry.key === kind.key && entry.isOfNoUse);
    if (dying.length === 0) return;
    await abortable(Promise.allSettled(dying.map((entry) => entry.end())), signal);
    this.#checkOpen();
  }

  async #share(kind: ProcessKind, signal?: AbortSignal): Promise<PoolEntry> {
    const warm = this.#find(kind, () => true);
    if (warm !== undefined) return warm.hold();
    // A caller that comes while a process is starting waits for it instead of starting another.
    const known = [...this.#starts].find(({ key, cancelled }) => key === kind.key && !cancelled);
    const entry = await (known ?? this.#begin(kind)).wait(signal);
    return entry.hold();
  }

  /** Holds the process at once, so that nobody else finds it unused. */
  async #own(kind: ProcessKind, options: LiveSessionOptions, signal?: AbortSignal): Promise<PoolEntry> {
    const { sessionId, heldBy } = options;
    const fresh = sessionId === undefined;
    const fits = ({ process }: PoolEntry) =>
      fresh || (process.pid === heldBy && process.holds?.(sessionId) === true);
    const unused = this.#find(kind, (entry) => entry.holders === 0 && fits(entry))?.hold();
    const entry = unused ?? (await this.#startOwn(kind, signal));
    if (fresh) void this.#keepSpares(kind);
    return entry;
  }

  async #startOwn(kind: ProcessKind, signal?: AbortSignal): Promise<PoolEntry> {
    const start = this.#begin(kind, true);
    try {
      return await start.wait(signal);
    } catch (error) {
      // The process may have started at this very moment.
      void start.started.then((entry) => entry.release()).catch(() => undefined);
      throw error;
    }
  }

  #find(kind: ProcessKind, fits: (entry: PoolEntry) => boolean): PoolEntry | undefined {
    // The session of the one that was used last is the most likely to go on.
    return [...this.#entries]
      .filter((entry) => entry.key === kind.key && entry.usable && fits(entry))
      .sort((one, other) => one.idleSince - other.idleSince)[0];
  }

  #begin(kind: ProcessKind, held = false): ProcessStart<PoolEntry> {
    const start = new ProcessStart(kind.key, (signal) => this.#start(kind, signal, held));
    this.#starts.add(start);
    const over = () => this.#starts.delete(start);
    void start.started.then(over, over);
    return start;
  }

  async #start(kind: ProcessKind, signal: AbortSignal, held: boolean): Promise<PoolEntry> {
    await this.#makeRoom(signal);
    try {
      signal.throwIfAborted();
      const entry = new PoolEntry(kind.key, await kind.start(signal), this.#limits.idleMs, {
        gone: (gone) => this.#forget(gone),
        free: () => this.#wakeOne(),
      });
      if (held) entry.hold();
      this.#entries.add(entry);
      if (signal.aborted) {
        await entry.end();
        throw signal.reason;
      }
      return entry;
    } finally {
      this.#reserved -= 1;
      this.#wakeOne();
    }
  }

  /**
   * Reserves a place. If there is none, the process that is idle for the longest time is ended; if all are in
   * use, the caller waits.
   */
  async #makeRoom(signal: AbortSignal): Promise<void> {
    for (;;) {
      const memoryIsFull = await this.#memoryIsFull();
      this.#checkOpen();
      const count = this.#entries.size + this.#reserved;
      // One process is always allowed, however large it is.
      if (count === 0 || (count < this.#limits.maxProcesses && !memoryIsFull)) {
        this.#reserved += 1;
        return;
      }
      const oldest = [...this.#entries]
        .filter((entry) => entry.evictable)
        .sort((a, b) => a.idleSince - b.idleSince)[0];
      if (oldest !== undefined) await oldest.end();
      else await this.#waitForRoom(signal);
    }
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    let wake: () => void = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.push(wake);
    });
    try {
      await abortable(woken, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(wake);
      // The caller was woken at the moment it gave up: the next one is woken instead.
      if (place === -1) this.#wakeOne();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  async #memoryIsFull(): Promise<boolean> {
    return (await this.residentBytes()) >= this.#limits.maxResidentBytes;
  }

  /** Starts spares one after the other, each within the limits. */
  async #keepSpares(kind: ProcessKind): Promise<void> {
    if (this.#stocking.has(kind.key) || !this.#lacksSpare(kind)) return;
    this.#stocking.add(kind.key);
    try {
      while (!(await this.#memoryIsFull()) && this.#lacksSpare(kind)) await this.#begin(kind).started;
    } catch {
      // The failure of a spare is ignored: the next caller that needs a process gets the reason.
    } finally {
      this.#stocking.delete(kind.key);
    }
  }

  #lacksSpare({ key }: ProcessKind): boolean {
    if (this.#closed || this.#entries.size + this.#reserved >= this.#limits.maxProcesses) return false;
    const spares = [...this.#entries].filter(
      (entry) => entry.key === key && entry.usable && entry.holders === 0,
    );
    return spares.length < this.#limits.spares;
  }

  #forget(entry: PoolEntry): void {
    this.#entries.delete(entry);
    this.#wakeOne();
  }

  #wakeOne(): void {
    this.#waiting.shift()?.();
  }

  #checkOpen(): void {
    if (this.#closed) throw new TurnoutError('interrupted', closedMessage);
  }
}

const closedMessage = 'The sessions were closed.';
