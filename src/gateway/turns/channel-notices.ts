import type { StoredEvent } from '../../store/rows.js';
import type { WorkerParts } from './worker-parts.js';

/** Says once for each channel what would be true of every message in it. */
export class ChannelNotices {
  readonly #parts: Pick<WorkerParts, 'post' | 'log'>;
  /** The problems that were last logged for each channel. */
  readonly #logged = new Map<string, string>();
  /** The notice that each channel was last told. */
  readonly #told = new Map<string, string>();

  constructor(parts: Pick<WorkerParts, 'post' | 'log'>) {
    this.#parts = parts;
  }

  async tell({ channel, id }: StoredEvent, notice: string): Promise<void> {
    if (this.#told.get(channel) === notice) return;
    await this.#parts.post(channel, id, notice);
    this.#told.set(channel, notice);
  }

  logProblems(channel: string, problems: readonly string[]): void {
    const summary = problems.join('\n');
    if (summary === (this.#logged.get(channel) ?? '')) return;
    if (summary === '') this.#logged.delete(channel);
    else this.#logged.set(channel, summary);
    if (summary !== '') this.#parts.log.warn('files of a channel are wrong', { channel, problems });
  }
}
