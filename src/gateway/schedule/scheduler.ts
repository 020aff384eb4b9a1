import type { Log } from '../../config/log.js';
import { hasEnded } from '../../store/rows.js';
import type { NewEvent, Store } from '../../store/store.js';
import { type Clock, systemClock } from './clock.js';
import { lastDue, nextRun } from './next-run.js';
import { type Plan, plannedRun } from './planned-run.js';
import { keyOf, type Schedule } from './types.js';
import { WatchedSchedules } from './watched-schedules.js';

export interface SchedulerOptions {
  readonly configDir: string;
  readonly outputChannel?: string | undefined;
  readonly store: Pick<Store, 'lastRun' | 'saveRun' | 'eventOf'>;
  /** Resolves when the event and its `schedule` are on disk. If it rejects, it is called again a little later. */
  submit(event: NewEvent): Promise<void>;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Puts scheduled prompts into the queue when they are due. Of missed runs at most one is caught up for each schedule. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #watched: WatchedSchedules;
  /** Each schedule's runs are settled up to this time: they ran, were skipped, or lie before it was first seen. */
  readonly #done = new Map<string, number>();
  #seenKeys: ReadonlySet<string> | undefined;
  #cancelTimer: (() => void) | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #started = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { configDir, outputChannel, log } = options;
    this.#watched = new WatchedSchedules(configDir, { outputChannel }, log);
  }

  /** Resolves when the missed runs are in the queue. */
  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    await this.#tick();
  }

  /** Resolves when no run will be submitted any more. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#cancelTimer?.();
    await this.#ticking;
  }

  /** The next run of each schedule. */
  async planned(): Promise<Plan> {
    const { schedules, problems } = await this.#watched.current();
    // A schedule counts from the tick that sees it first: the times that are told here are to come.
    if (this.#started && schedules.some((one) => !this.#seenKeys?.has(keyOf(one)))) await this.#tick();
    const { store } = this.#options;
    const runs = await Promise.all(
      schedules.map(async (schedule) => {
        const key = keyOf(schedule);
        const done = this.#done.get(key) ?? (await store.lastRun(key)) ?? this.#clock.now();
        return plannedRun(schedule, done);
      }),
    );
    return { runs, problems };
  }

  /** One tick at a time, and one timer behind the last. */
  #tick(): Promise<void> {
    this.#ticking = this.#ticking
      .then(() => this.#runDue())
      .catch((error: unknown) => {
        this.#options.log.error('schedules could not be followed', { error });
        return longestPauseMs;
      })
      .then((pause) => {
        this.#cancelTimer?.();
        if (this.#started) this.#cancelTimer = this.#clock.setTimer(pause, () => void this.#tick());
      });
    return this.#ticking;
  }

  /** Runs every schedule that is due; the result is the time until the next look. */
  async #runDue(): Promise<number> {
    const { schedules } = await this.#watched.current();
    const known = this.#seenKeys;
    this.#seenKeys = new Set(schedules.map(keyOf));
    let pause = longestPauseMs;
    for (const schedule of schedules) {
      if (!this.#started) break;
      const isNew = known !== undefined && !known.has(keyOf(schedule));
      const next = await this.#runIfDue(schedule, isNew);
      const wait = (next ?? Number.POSITIVE_INFINITY) - this.#clock.now();
      // A schedule that is still due waits for an earlier run, or could not be submitted: that takes a while.
      if (wait > 0) pause = Math.min(pause, wait);
    }
    return pause;
  }

  /** Runs a schedule if it is due. The result is its next time; a time in the past is tried again. */
  async #runIfDue(schedule: Schedule, isNew: boolean): Promise<number | undefined> {
    const { store, log, submit } = this.#options;
    const key = keyOf(schedule);
    const now = this.#clock.now();
    try {
      const done = await this.#doneUntil(key, now, isNew, longestStepBack(schedule));
      const runAt = lastDue(schedule.timing, done, now);
      if (runAt === undefined) return nextRun(schedule.timing, done);
      const previous = await store.eventOf(
        schedule.source,
        schedule.channel,
        messageId(schedule, (await store.lastRun(key)) ?? done),
      );
      if (previous !== undefined && !hasEnded(previous)) {
        // A heartbeat is of the moment, so it is skipped; a cron entry is work, and waits until the earlier run has ended.
        if (schedule.source === 'cron') return runAt;
        log.info('heartbeat skipped: the last one has not ended', { schedule: key });
        this.#done.set(key, runAt);
        return nextRun(schedule.timing, runAt);
      }
      await submit(eventOf(schedule, key, runAt, now));
      this.#done.set(key, runAt);
      return nextRun(schedule.timing, runAt);
    } catch (error) {
      log.error('scheduled run could not be queued: it is tried again', { schedule: key, error });
      return now;
    }
  }

  async #doneUntil(key: string, now: number, isNew: boolean, stepBackMs: number): Promise<number> {
    const { store, log } = this.#options;
    const done = isNew ? undefined : (this.#done.get(key) ?? (await store.lastRun(key)));
    if (done !== undefined && done <= now + stepBackMs) {
      this.#done.set(key, done);
      return done;
    }
    // A schedule that is seen for the first time has missed nothing. A last run far in the future comes from a wrong clock.
    if (done !== undefined) log.warn('the clock was set back: schedule begins anew', { schedule: key });
    await store.saveRun(key, now);
    this.#done.set(key, now);
    return now;
  }
}

function eventOf(schedule: Schedule, key: string, runAt: number, now: number): NewEvent {
  return {
    channel: schedule.channel,
    source: schedule.source,
    kind: 'prompt',
    role: 'system',
    text: schedule.text,
    messageId: messageId(schedule, runAt),
    at: now,
    schedule: { name: key, runAt },
  };
}

/** A run has one id: if it is submitted twice, around a crash, it is one event. */
function messageId({ name }: Schedule, runAt: number): string {
  return `${name}@${new Date(runAt).toISOString()}`;
}

/**
 * A last run that is further in the future comes from a clock that was set back. A heartbeat waits for its interval, so a
 * step back must not make it wait for much longer; a cron entry is due at a time of day, which it has had already.
 */
function longestStepBack({ timing }: Schedule): number {
  return timing.type === 'every' ? Math.min(timing.ms, longestStepBackMs) : longestStepBackMs;
}

const longestPauseMs = 30_000;
const longestStepBackMs = 86_400_000;
