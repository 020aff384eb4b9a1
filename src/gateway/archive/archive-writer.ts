import type { Log } from '../../config/log.js';
import type { Store } from '../../store/store.js';
import { type DirtyPage, DirtyPages } from './dirty-pages.js';
import { FailureLog } from './failure-log.js';
import { dayOf } from './format.js';
import type { DaySource } from './read-day.js';
import { readTurns } from './read-pages.js';
import { writeDay } from './write-day.js';

export type ArchiveStore = DaySource & Pick<Store, 'channels' | 'lastRun' | 'saveRun'>;

export interface ArchiveWriterOptions {
  readonly store: ArchiveStore;
  /** `<home>/archive` */
  readonly directory: string;
  readonly log: Log;
  readonly clock?: (() => number) | undefined;
  readonly times?: Partial<ArchiveTimes> | undefined;
}

export interface ArchiveTimes {
  /** A page is made at most once in this time. */
  readonly restMs: number;
  /** After a failure. */
  readonly retryMs: number;
  /** How often it is noted how far the pages are complete. */
  readonly checkpointMs: number;
  /** How long `stop` may go on writing. */
  readonly stopMs: number;
}

const defaultTimes: ArchiveTimes = { restMs: 2000, retryMs: 30_000, checkpointMs: 30_000, stopMs: 2000 };

/** Pages are written for a fifth of the time at most: whatever the load, the turns come first. */
const restPerWork = 4;
/** What ended shortly before the mark is written again: its page may not have reached the disk before a power cut. */
const overlapMs = 5 * 60_000;
const checkpointName = 'archive';

/**
 * Keeps the Markdown pages up to date with the rows, in the background. The rows are the truth: a page is always made
 * anew from them, and what a crash kept from being written is found at the next start.
 */
export class ArchiveWriter {
  readonly #options: ArchiveWriterOptions;
  readonly #times: ArchiveTimes;
  readonly #now: () => number;
  readonly #dirty = new DirtyPages();
  readonly #failures: FailureLog;
  #wake: ((why: 'work' | 'stop') => void) | undefined;
  #working: Promise<void> | undefined;
  #stopAt: number | undefined;
  #checkpointAt = 0;
  /** When to look for what an earlier process left undone; undefined when that is done. */
  #catchUpAt: number | undefined = 0;

  constructor(options: ArchiveWriterOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#now = options.clock ?? Date.now;
    this.#failures = new FailureLog(options.log);
  }

  /** Something was said or ended in a channel. Cheap: the page is made later. */
  channelChanged(channel: string, at: number): void {
    const now = this.#now();
    // With others waiting, the next look is before this one is due anyway.
    if (this.#dirty.size === 0) this.#wake?.('work');
    this.#dirty.add({ channel, day: dayOf(at), since: Math.min(at, now), due: now + this.#times.restMs });
  }

  start(): void {
    this.#working ??= this.#work();
  }

  /** Writes what it can in a short time. The rest is found at the next start. */
  async stop(): Promise<void> {
    this.#stopAt ??= this.#now() + this.#times.stopMs;
    this.#wake?.('stop');
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#stopAt === undefined) {
      if (this.#catchUpAt !== undefined && this.#catchUpAt <= this.#now()) await this.#catchUp();
      const page = this.#dirty.take(this.#now());
      if (page === undefined) {
        await this.#sleep(this.#untilDue(), 'work');
        continue;
      }
      const began = performance.now();
      await this.#write(page);
      if (this.#now() - this.#checkpointAt >= this.#times.checkpointMs) await this.#saveCheckpoint();
      await this.#sleep((performance.now() - began) * restPerWork, 'stop');
    }
    while (this.#now() < this.#stopAt) {
      const page = this.#dirty.take(Number.POSITIVE_INFINITY);
      if (page === undefined || !(await this.#write(page))) break;
    }
    await this.#saveCheckpoint();
  }

  async #write(page: DirtyPage): Promise<boolean> {
    const { store, directory } = this.#options;
    const { channel, day } = page;
    // It is not among the dirty ones now: what happens while it is being written makes it due again.
    const written = await this.#failures.watch(`${day} ${channel}`, () =>
      writeDay(store, directory, channel, day),
    );
    if (!written) this.#dirty.add({ ...page, due: this.#now() + this.#times.retryMs });
    return written;
  }

  /** What ended since the mark, before this process began. */
  async #catchUp(): Promise<void> {
    const { store } = this.#options;
    const found = await this.#failures.watch('catching up', async () => {
      const mark = await store.lastRun(checkpointName);
      const since = mark === undefined ? undefined : mark - overlapMs;
      const due = this.#now();
      for await (const { channel, endedAt: at } of readTurns(store, { since })) {
        if (at !== undefined) this.#dirty.add({ channel, day: dayOf(at), since: at, due });
      }
      // What needed no turn: commands, refusals.
      for (const { channel, lastMessageAt: at } of await store.channels()) {
        if (at !== undefined && at >= (since ?? 0))
          this.#dirty.add({ channel, day: dayOf(at), since: at, due });
      }
    });
    this.#catchUpAt = found ? undefined : this.#now() + this.#times.retryMs;
  }

  /** Every page of what ended before the mark is written. */
  async #saveCheckpoint(): Promise<void> {
    if (this.#catchUpAt !== undefined) return;
    this.#checkpointAt = this.#now();
    const mark = Math.min(this.#checkpointAt, this.#dirty.oldest() ?? this.#checkpointAt);
    await this.#failures.watch('mark', () => this.#options.store.saveRun(checkpointName, mark));
  }

  #untilDue(): number {
    const due = Math.min(this.#dirty.nextDue() ?? Infinity, this.#catchUpAt ?? Infinity);
    return Math.min(Math.max(0, due - this.#now()), 60_000);
  }

  async #sleep(ms: number, until: 'work' | 'stop'): Promise<void> {
    if (this.#stopAt !== undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = (why) => {
        if (why !== 'stop' && why !== until) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
