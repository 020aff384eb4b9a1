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

  constructor(lease: Lease, parts: JournalParts) {
    this.#lease = lease;
    this.#parts = parts;
  }

  /**
   * Stores a step before the turn goes on. If the first step can't be stored, the turn is put off: the agent was not asked
   * yet. A later failure does not end the turn: its settlement is written until it is on disk. Only a tool must be noted
   * somewhere before the turn goes on, or the next gateway might run it again.
   */
  async note(entry: JournalEntry): Promise<void> {
    const { store, outputs, log, watch } = this.#parts;
    const { type } = entry;
    // The end of a tool can't be noted before its beginning.
    if (type === 'tool_ended' && this.#unnoted.some((other) => 'id' in other && other.id === entry.id)) {
      this.#unnoted.push(entry);
      return;
    }
    try {
      await store.journal(this.#lease, entry);
    } catch (error) {
      if (type === 'began') throw error;
      if (type !== 'session') this.#unnoted.push(entry);
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
    await outputs.condense(this.#lease.turnId, this.#unnoted);
    try {
      for (const entry of this.#unnoted) await store.journal(this.#lease, entry);
    } catch (error) {
      log.error('tools of a turn could not be noted', { channel: this.#lease.channel, error });
    }
  }
}
