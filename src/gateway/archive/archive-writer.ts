import type { Log } from '../../config/log.js';
import { dayOf } from '../../core/format.js';
import type { Store } from '../../store/store.js';
import { type DirtyPage, DirtyPages } from './dirty-pages.js';
import { FailureLog } from './failure-log.js';
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
  /** The pause after a failure. */
  readonly retryMs: number;
  /** The checkpoint (how far the pages are complete) is stored so often. */
  readonly checkpointMs: number;
  /** `stop` may go on writing for so long: then the page that is being written is left as it was. */
  readonly stopMs: number;
}

const defaultTimes: ArchiveTimes = { restMs: 2000, retryMs: 30_000, checkpointMs: 30_000, stopMs: 2000 };

/** Pages are written for a fifth of the time at most, also within a long one: whatever the load, the turns come first. */
const restPerWork = 4;
/** After so much work there is a rest. */
const workMs = 5;
/** Pages from shortly before the checkpoint are written again: a power cut may have kept them from the disk. */
const overlapMs = 5 * 60_000;
const checkpointName = 'archive';

/**
 * Keeps the Markdown pages up to date with the rows, in the background. The rows are the truth: a page is always made
 * anew from them, and a page that a crash kept from being written is found at the next start.
 */
export class ArchiveWriter {
  readonly #options: ArchiveWriterOptions;
  readonly #times: ArchiveTimes;
  readonly #now: () => number;
  readonly #dirty = new DirtyPages();
  readonly #failures: FailureLog;
  #wake: ((why: 'work' | 'stop') => void) | undefined;
  #working: Promise<void> | undefined;
  /** Aborted when `stop` is called. */
  readonly #stopping = new AbortController();
  /** Aborted when what was not written by then is left to the next start. */
  readonly #over = new AbortController();
  #checkpointAt = 0;
  #restedAt = performance.now();
  /** The time to look for pages that an earlier process left unwritten; undefined when that is done. */
  #catchUpAt: number | undefined = 0;

  constructor(options: ArchiveWriterOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#now = options.clock ?? Date.now;
    this.#failures = new FailureLog(options.log);
  }

  /** Marks the channel's page of that day as dirty. This is cheap: the page is made later. */
  channelChanged(channel: string, at: number): void {
    const now = this.#now();
    // If other pages wait, the next look comes before this page is due anyway.
    if (this.#dirty.size === 0) this.#wake?.('work');
    this.#dirty.add({ channel, day: dayOf(at), since: Math.min(at, now), due: now + this.#times.restMs });
  }

  start(): void {
    this.#working ??= this.#work();
  }

  /** Writes pages for `stopMs` at most. The rest is found at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake?.('stop');
    const end = setTimeout(() => this.#over.abort(), this.#times.stopMs);
    await this.#working;
    clearTimeout(end);
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const longestMs = Math.max(this.#times.restMs, this.#times.retryMs);
      const catchUpIn = (this.#catchUpAt ?? Number.POSITIVE_INFINITY) - this.#now();
      if (catchUpIn <= 0 || (catchUpIn > longestMs && this.#catchUpAt !== undefined)) await this.#catchUp();
      const page = this.#dirty.take(this.#now(), longestMs);
      if (page === undefined) {
        await this.#sleep(this.#untilDue(), 'work');
        this.#restedAt = performance.now();
        continue;
      }
      await this.#write(page);
      if (this.#now() - this.#checkpointAt >= this.#times.checkpointMs) await this.#saveCheckpoint();
      await this.#rest();
    }
    while (!this.#over.signal.aborted) {
      const page = this.#dirty.take(Number.POSITIVE_INFINITY);
      if (page === undefined || !(await this.#write(page))) break;
    }
    await this.#saveCheckpoint();
  }

  async #write(page: DirtyPage): Promise<boolean> {
    const { store, directory } = this.#options;
    const { channel, day } = page;
    // The page is not among the dirty ones now: a change while it is being written makes it due again.
    const write = () => writeDay(store, directory, channel, day, this.#betweenPages);
    const written = await this.#failures.watch(`${day} ${channel}`, write, this.#over.signal);
    if (!written) this.#dirty.add({ ...page, due: this.#now() + this.#times.retryMs });
    return written;
  }

  /** Finds the pages that changed since the checkpoint, before this process began. */
  async #catchUp(): Promise<void> {
    const { store } = this.#options;
    const find = async () => {
      const checkpoint = await store.lastRun(checkpointName);
      const due = this.#now();
      // A checkpoint in the future was made before the clock was set back, and says nothing about the time since then.
      const since = checkpoint === undefined || checkpoint > due ? undefined : checkpoint - overlapMs;
      for await (const { channel, endedAt: at } of readTurns(
        store,
        { since },
        { between: this.#betweenPages },
      )) {
        if (at !== undefined) this.#dirty.add({ channel, day: dayOf(at), since: at, due });
      }
      // Commands and refusals have no turn.
      for (const { channel, lastMessageAt: at } of await store.channels()) {
        if (at !== undefined && at >= (since ?? 0))
          this.#dirty.add({ channel, day: dayOf(at), since: at, due });
      }
    };
    const found = await this.#failures.watch('catching up', find, this.#over.signal);
    this.#catchUpAt = found ? undefined : this.#now() + this.#times.retryMs;
  }

  /** Stores the time before which every page is written. */
  async #saveCheckpoint(): Promise<void> {
    if (this.#catchUpAt !== undefined) return;
    this.#checkpointAt = this.#now();
    const checkpoint = Math.min(this.#checkpointAt, this.#dirty.oldest() ?? this.#checkpointAt);
    await this.#failures.watch('mark', () => this.#options.store.saveRun(checkpointName, checkpoint));
  }

  readonly #betweenPages = async () => {
    this.#over.signal.throwIfAborted();
    await this.#rest();
  };

  async #rest(): Promise<void> {
    const worked = performance.now() - this.#restedAt;
    if (worked < workMs) return;
    await this.#sleep(worked * restPerWork, 'stop');
    this.#restedAt = performance.now();
  }

  #untilDue(): number {
    // The clock may be set: a wait never lasts longer than a minute.
    const due = Math.min(this.#dirty.nextDue() ?? Infinity, this.#catchUpAt ?? Infinity);
    return Math.min(Math.max(0, due - this.#now()), 60_000);
  }

  async #sleep(ms: number, until: 'work' | 'stop'): Promise<void> {
    if (this.#stopping.signal.aborted) return;
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
