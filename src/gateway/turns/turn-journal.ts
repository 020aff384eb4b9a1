import type { Log } from '../../config/log.js';
import type { JournalEntry, Lease, Store } from '../../store/store.js';
import type { Watcher } from '../journal-points.js';
import type { TurnOutputs } from './turn-outputs.js';

export interface JournalParts {
  readonly store: Store;
  readonly outputs: TurnOutputs;
  readonly log: Log;
  readonly watch: Watcher;
}

/** Notes the steps of one running turn, so that the next gateway knows which tools had begun, whatever becomes of this one. */
export class TurnJournal {
  readonly #lease: Lease;
  readonly #parts: JournalParts;
  /** Tools whose beginning or end the store has not taken. */
  readonly #unnoted: JournalEntry[] = [];
  readonly #unnotedTools = new Set<string>();
  /** Tools that were noted and not denied. */
  readonly #tools = new Set<string>();
  readonly #stopping: AbortSignal | undefined;
  readonly #pending = new Set<Promise<void>>();
  #afterStop = 0;

  /** `stopping`: once it is aborted, the turn is to end soon, and only a few more steps are noted. */
  constructor(lease: Lease, parts: JournalParts, stopping?: AbortSignal) {
    this.#lease = lease;
    this.#parts = parts;
    this.#stopping = stopping;
  }

  /** Stores the end of a tool while the turn goes on: the next gateway loses nothing by not knowing it. */
  noteEnd(entry: JournalEntry & { type: 'tool_ended' }): void {
    this.#later(this.note(entry));
  }

  /**
   * Stores a step before the turn goes on. If the first step can't be stored, the turn is put off: the agent was not asked
   * yet. A later failure does not end the turn: its settlement is written until it is on disk. Only a tool must be noted
   * somewhere before the turn goes on, or the next gateway might run it again.
   */
  async note(entry: JournalEntry): Promise<void> {
    if (!this.#isWorthNoting(entry)) return;
    const noted = this.#write(entry);
    // With so many tools on disk the turn is never run again: no more of them have to be there first.
    if (entry.type === 'tool_started' && this.#tools.size > maxAwaited) this.#later(noted);
    else await noted;
  }

  #later(noting: Promise<void>): void {
    // It was logged, and the tools before it are on disk.
    const noted: Promise<void> = noting.catch(() => undefined).finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  async #write(entry: JournalEntry): Promise<void> {
    const { store, outputs, log, watch } = this.#parts;
    const { type } = entry;
    // The end of a tool can't be noted before its beginning.
    if (type === 'tool_ended' && this.#unnotedTools.has(entry.id)) {
      this.#unnoted.push(entry);
      return;
    }
    try {
      await store.journal(this.#lease, entry);
    } catch (error) {
      if (type === 'began') throw error;
      if (type !== 'session') this.#unnoted.push(entry);
      if (type === 'tool_started' || type === 'tool_ended') this.#unnotedTools.add(entry.id);
      if (type === 'tool_started' && !(await outputs.noteTool(this.#lease.turnId))) throw error;
      const { channel } = this.#lease;
      log.error('a step of a turn could not be noted', { channel, point: type, error });
    }
    watch(type);
  }

  /**
   * The agent is done with its output, which may be what fills the disk: its space is given back before the result is
   * written. Tools that the journal lacks stay known all the while, should the gateway be killed now.
   */
  async giveSpaceBack(): Promise<void> {
    const { store, outputs, log } = this.#parts;
    await Promise.all(this.#pending);
    await outputs.condense(this.#lease.turnId, this.#unnoted);
    try {
      for (const entry of this.#unnoted) await store.journal(this.#lease, entry);
    } catch (error) {
      log.error('tools of a turn could not be noted', { channel: this.#lease.channel, error });
    }
  }
  /**
   * Each note costs the disk's time. A turn with this many tools that may have done something is never run again, whatever
   * else it does; and one that was stopped must not go on for as long as its agent has printed tools.
   */
  #isWorthNoting(entry: JournalEntry): boolean {
    if (entry.type === 'began' || entry.type === 'session') return true;
    const isKnown = this.#tools.has(entry.id);
    if (entry.type === 'tool_ended' && !isKnown) return false;
    if (this.#tools.size > 0 && this.#stopping?.aborted) {
      this.#afterStop += 1;
      if (this.#afterStop > maxAfterStop) return false;
    }
    if (entry.type === 'tool_started') {
      if (this.#tools.size >= maxTools) return false;
      this.#tools.add(entry.id);
    } else if (entry.denied) this.#tools.delete(entry.id);
    return true;
  }
}

/** The archive and the recovery don't tell more tools apart either. */
const maxTools = 2000;
const maxAwaited = 50;
const maxAfterStop = 100;
