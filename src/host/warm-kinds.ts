import { createBackend } from '../backends/registry.js';
import type { PoolLimits } from '../config/limits.js';
import type { HostedOptions, WarmStatus } from './messages.js';
import { warmKey } from './warm-key.js';
import { WarmKind } from './warm-kind.js';

/** All that is kept warm. What was not used for the longest time makes room for something new. */
export class WarmKinds {
  readonly #limits: PoolLimits;
  readonly #kinds = new Map<string, WarmKind>();
  readonly #closing = new Set<Promise<void>>();
  #zero = zeroOfClock();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Returns what is kept for these options, new or known. It counts as in use until `leave`. */
  async enter(options: HostedOptions): Promise<WarmKind> {
    this.#dropAfterSleep();
    const adapter = createBackend(options.backend, options.config);
    const key = await warmKey(options, adapter);
    const shared = (await adapter.live?.())?.sessionsPerProcess === 'many';
    const known = this.#kinds.get(key.key);
    const kind = known ?? new WarmKind(key, options, adapter, this.#limits, shared);
    kind.turns += 1;
    if (known === undefined) {
      // The CLI was updated, or its configuration was changed: what runs still has the old one.
      for (const old of this.#kinds.values()) if (old.key.wish === key.wish) this.#drop(old);
      this.#kinds.set(key.key, kind);
    }
    return kind;
  }

  leave(kind: WarmKind): void {
    kind.turns -= 1;
    kind.usedAt = performance.now();
    if (!this.#keeps(kind)) this.#closeIfUnused(kind);
  }

  /** Makes room for one more process of this kind. False if all others are in use. */
  async makeRoom(kind: WarmKind): Promise<boolean> {
    while (await this.#isFull(kind)) {
      const [oldest] = [...this.#kinds.values()]
        .filter((other) => other !== kind && other.turns === 0)
        .sort((one, other) => one.usedAt - other.usedAt);
      if (oldest === undefined) return false;
      this.#drop(oldest);
      await Promise.all(this.#closing);
    }
    return true;
  }

  /** Ends what was not used for as long as a process is kept. */
  tidy(): void {
    for (const kind of this.#kinds.values()) {
      if (kind.turns === 0 && performance.now() - kind.usedAt >= this.#limits.idleMs) this.#drop(kind);
    }
  }

  status(): readonly WarmStatus[] {
    return [...this.#kinds.values()].map((kind) => kind.status());
  }

  async close(): Promise<void> {
    for (const kind of this.#kinds.values()) {
      this.#kinds.delete(kind.key.key);
      this.#close(kind);
    }
    await Promise.all(this.#closing);
  }

  #keeps(kind: WarmKind): boolean {
    return this.#kinds.get(kind.key.key) === kind;
  }

  async #isFull(kind: WarmKind): Promise<boolean> {
    const all = [...this.#kinds.values()];
    const count = all.reduce((sum, { needed }) => sum + needed, 0);
    if (count > this.#limits.maxProcesses) return true;
    // It may have all of the memory; its own pool looks after that.
    if (count === kind.needed) return false;
    const bytes = await Promise.all(all.map((each) => each.residentBytes()));
    return bytes.reduce((sum, each) => sum + each, 0) >= this.#limits.maxResidentBytes;
  }

  /** After a sleep, or when the clock was set, connections may be dead and logins be over without the CLI knowing it. */
  #dropAfterSleep(): void {
    const zero = zeroOfClock();
    if (Math.abs(zero - this.#zero) <= clockToleranceMs) return;
    this.#zero = zero;
    for (const kind of this.#kinds.values()) this.#drop(kind);
  }

  #drop(kind: WarmKind): void {
    this.#kinds.delete(kind.key.key);
    this.#closeIfUnused(kind);
  }

  #closeIfUnused(kind: WarmKind): void {
    if (kind.turns === 0) this.#close(kind);
  }

  #close(kind: WarmKind): void {
    const closing: Promise<void> = kind
      .close()
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** The time of day that belongs to the zero of our own clock. */
function zeroOfClock(): number {
  return Date.now() - performance.now();
}

/** A clock that is corrected a little is no reason to start again. */
const clockToleranceMs = 30_000;
