import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../../../src/gateway/schedule/clock.js';
import { systemClock } from '../../../../src/gateway/schedule/clock.js';
import { lastDue } from '../../../../src/gateway/schedule/next-run.js';
import { Scheduler } from '../../../../src/gateway/schedule/scheduler.js';
import type { EventState, StoredEvent } from '../../../../src/store/rows.js';
import type { NewEvent } from '../../../../src/store/store.js';
import { cpuMs } from '../../../machine-speed.js';
import { logLines } from '../log-lines.js';
import { directoryWith, put } from '../temporary-directory.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const monday = Date.parse('2026-03-02T00:00:00Z');

const daily = '## Report\n- schedule: 0 9 * * *\n- timezone: UTC\n\nReport.';
const heartbeat = '---\ninterval: 30m\n---\nBeat.';

/** Time that passes only when it is told to, timer by timer. */
class FakeClock implements Clock {
  time: number;
  #timers: { at: number; callback: () => void }[] = [];
  pauses: number[] = [];

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  setTimer(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.pauses.push(ms);
    this.#timers.push(timer);
    return () => this.#remove(timer);
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** The clock is set, or the machine slept: the next timer fires afterwards. */
  async jump(ms: number): Promise<void> {
    this.time += ms;
    const [next] = this.#timers;
    if (next !== undefined) await this.#fire(next);
  }

  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      const next = this.#timers.find(({ at }) => at <= until);
      if (next === undefined) break;
      this.time = Math.max(this.time, next.at);
      await this.#fire(next);
    }
    this.time = until;
  }

  /** Until the tick has set the next timer. */
  async #fire(timer: { at: number; callback: () => void }): Promise<void> {
    this.#remove(timer);
    timer.callback();
    // It looks at real files: on a busy machine that takes as long as it takes.
    const giveUpAt = performance.now() + 20_000;
    while (this.#timers.length === 0 && performance.now() < giveUpAt) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #remove(timer: object): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}

/** A gateway's data on disk: runs, and events by their message id. */
class Disk {
  readonly runs = new Map<string, number>();
  readonly events = new Map<string, NewEvent & { state: EventState }>();
  failing = false;
  submitted = 0;

  submit = async (event: NewEvent): Promise<void> => {
    if (this.failing) throw new Error('disk full');
    this.submitted++;
    const id = `${event.source} ${event.channel} ${event.messageId}`;
    if (!this.events.has(id)) this.events.set(id, { ...event, state: 'answered' });
    if (event.schedule !== undefined) this.runs.set(event.schedule.name, event.schedule.runAt);
  };

  lastRun = async (key: string) => this.runs.get(key);
  saveRun = async (key: string, at: number) => void this.runs.set(key, at);
  eventOf = async (source: string, channel: string, messageId: string) =>
    this.events.get(`${source} ${channel} ${messageId}`) as StoredEvent | undefined;

  get ids(): (string | undefined)[] {
    return [...this.events.values()].map(({ messageId }) => messageId);
  }
}

async function gateway(files: Record<string, string>, time: number, disk = new Disk()) {
  const directory = await directoryWith(files);
  const clock = new FakeClock(time);
  const { log, lines } = logLines();
  const start = async (): Promise<Scheduler> => {
    const scheduler = new Scheduler({
      configDir: directory,
      outputChannel: 'out',
      store: disk,
      submit: disk.submit,
      clock,
      log,
    });
    onTestFinished(() => scheduler.stop());
    await scheduler.start();
    return scheduler;
  };
  return { directory, clock, disk, lines, start };
}

describe('the scheduler', () => {
  it('submits what is due, once, as an event of its channel', async () => {
    const { clock, disk, start } = await gateway({ 'cron.md': daily }, monday + 8 * hour);
    await start();
    await clock.pass(hour - 1);
    expect(disk.ids).toEqual([]);
    await clock.pass(1);
    expect([...disk.events.values()]).toEqual([
      {
        channel: 'out',
        source: 'cron',
        kind: 'prompt',
        role: 'system',
        text: 'Report.',
        messageId: 'Report@2026-03-02T09:00:00.000Z',
        at: monday + 9 * hour,
        schedule: { name: 'cron: Report (0 9 * * * UTC)', runAt: monday + 9 * hour },
        state: 'answered',
      },
    ]);
    await clock.jump(day - minute);
    expect(disk.submitted).toBe(1);
    await clock.pass(2 * minute);
    expect(disk.submitted).toBe(2);
    expect(Math.max(...clock.pauses)).toBeLessThanOrEqual(30 * second);
  });

  it('beats in its interval, from its first sight on', async () => {
    const { clock, disk, start } = await gateway({ 'heartbeat.md': heartbeat }, monday);
    await start();
    await clock.pass(2 * hour);
    expect(disk.ids).toEqual([
      'heartbeat@2026-03-02T00:30:00.000Z',
      'heartbeat@2026-03-02T01:00:00.000Z',
      'heartbeat@2026-03-02T01:30:00.000Z',
      'heartbeat@2026-03-02T02:00:00.000Z',
    ]);
  });

  it('catches up one run after days without a gateway, and none that it never knew', async () => {
    const disk = new Disk();
    const first = await gateway({ 'cron.md': daily, 'heartbeat.md': heartbeat }, monday + 10 * hour, disk);
    await (await first.start()).stop();
    expect(disk.ids).toEqual([]);
    first.clock.time += 5 * day + 7 * minute;
    const again = await first.start();
    expect(disk.ids).toEqual(['heartbeat@2026-03-07T10:00:00.000Z', 'Report@2026-03-07T09:00:00.000Z']);
    await first.clock.pass(10 * minute);
    expect(disk.ids).toHaveLength(2);
    await again.stop();
    expect(first.clock.timers).toBe(0);
  });

  it('catches up one run after a sleep, and repeats none when the clock is set back', async () => {
    const { clock, disk, start } = await gateway({ 'cron.md': daily }, monday + 8 * hour);
    await start();
    await clock.jump(3 * day + 2 * hour);
    expect(disk.ids).toEqual(['Report@2026-03-05T09:00:00.000Z']);
    await clock.jump(-3 * hour);
    await clock.pass(4 * hour);
    expect(disk.submitted).toBe(1);
    await clock.jump(22 * hour);
    expect(disk.ids.slice(1)).toEqual(['Report@2026-03-06T09:00:00.000Z']);
  });

  it('begins anew when its last run is far in the future', async () => {
    const { clock, disk, lines, start } = await gateway({ 'heartbeat.md': heartbeat }, monday);
    disk.runs.set('heartbeat: heartbeat (1800000 ms)', monday + 3650 * day);
    await start();
    expect(lines).toMatchObject([{ level: 'warn', message: 'the clock was set back: schedule begins anew' }]);
    await clock.pass(30 * minute);
    expect(disk.ids).toHaveLength(1);
  });

  it('a heartbeat waits for its interval, however far the clock was set back [fault 13.4: the clock is set back, schedules]', async () => {
    const { clock, disk, start } = await gateway({ 'heartbeat.md': heartbeat }, monday);
    await start();
    await clock.pass(30 * minute);
    expect(disk.submitted).toBe(1);
    await clock.jump(-23 * hour);
    await clock.pass(31 * minute);
    expect(disk.submitted).toBe(2);
  });

  it('does not run a time twice around a crash', async () => {
    const { clock, disk, start } = await gateway({ 'cron.md': daily }, monday + 8 * hour);
    const scheduler = await start();
    await clock.pass(hour);
    await scheduler.stop();
    // As if the event had been kept and the run not.
    disk.runs.set('cron: Report (0 9 * * * UTC)', monday);
    await start();
    expect(disk.ids).toEqual(['Report@2026-03-02T09:00:00.000Z']);
  });

  it('tries again when the queue could not take it', async () => {
    const { clock, disk, lines, start } = await gateway({ 'cron.md': daily }, monday + 8 * hour);
    await start();
    disk.failing = true;
    await clock.pass(hour + 10 * minute);
    expect(disk.ids).toEqual([]);
    expect(lines[0]).toMatchObject({ level: 'error', error: { message: 'disk full' } });
    expect(clock.pauses.filter((pause) => pause < second)).toEqual([]);
    disk.failing = false;
    await clock.pass(minute);
    expect(disk.ids).toEqual(['Report@2026-03-02T09:00:00.000Z']);
  });

  it('skips heartbeats while one has not ended, and keeps at most one cron run waiting', async () => {
    const hourly = '## Hourly\n- schedule: 0 * * * *\n- timezone: UTC\n\nWork.';
    const { clock, disk, start } = await gateway(
      { 'heartbeat.md': heartbeat, 'cron.md': hourly },
      monday + 1,
    );
    const scheduler = await start();
    await clock.pass(hour);
    for (const event of disk.events.values()) event.state = 'running';
    expect(disk.ids).toEqual([
      'heartbeat@2026-03-02T00:30:00.001Z',
      'Hourly@2026-03-02T01:00:00.000Z',
      'heartbeat@2026-03-02T01:00:00.001Z',
    ]);
    await clock.pass(3 * hour);
    expect(disk.ids).toHaveLength(3);
    // A restart knows it as well.
    await scheduler.stop();
    await start();
    expect(disk.ids).toHaveLength(3);
    for (const event of disk.events.values()) event.state = 'answered';
    await clock.pass(minute);
    expect(disk.ids.slice(3)).toEqual(['Hourly@2026-03-02T04:00:00.000Z']);
    await clock.pass(30 * minute);
    expect(disk.ids.slice(4)).toEqual(['heartbeat@2026-03-02T04:30:00.001Z']);
  });

  it('follows its files: new times begin now, what became wrong is told once and changes nothing', {
    timeout: 180_000,
  }, async () => {
    const { directory, clock, disk, lines, start } = await gateway({ 'cron.md': daily }, monday + 10 * hour);
    await start();
    const write = async (content: string, mtime: number) => {
      await put(directory, 'cron.md', content);
      utimesSync(join(directory, 'cron.md'), mtime, mtime);
    };
    await write(daily.replace('0 9', '30 9'), 1_000_000);
    await clock.pass(hour);
    expect(disk.ids).toEqual([]);
    await write(daily.replace('0 9', '99 9'), 2_000_000);
    await clock.pass(day);
    expect(disk.ids).toEqual(['Report@2026-03-03T09:30:00.000Z']);
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      {
        message: 'schedules are wrong',
        file: 'cron.md',
        problems: [expect.stringContaining('99 9 * * *')],
        kept: 1,
      },
    ]);
    rmSync(join(directory, 'cron.md'));
    await clock.pass(minute);
    await clock.jump(2 * day);
    expect(disk.ids).toHaveLength(1);
    // Its former times again: what lies in between was not missed.
    await write(daily, 3_000_000);
    await clock.pass(minute);
    expect(disk.ids).toHaveLength(1);
  });

  it('runs when it has told that it would, however new the file is (18.5)', async () => {
    const { directory, clock, disk, start } = await gateway({}, monday);
    const scheduler = await start();
    await clock.pass(10 * second);
    await put(directory, 'heartbeat.md', '---\ninterval: 4s\n---\nBeat.');
    const told = monday + 14 * second;
    expect(await scheduler.planned()).toMatchObject({ runs: [{ nextRunAt: told }], problems: [] });
    await clock.pass(second);
    expect(await scheduler.planned()).toMatchObject({ runs: [{ nextRunAt: told }] });
    await clock.pass(3 * second);
    expect(disk.ids).toEqual([`heartbeat@${new Date(told).toISOString()}`]);
    expect(clock.timers).toBe(1);
  });

  it('of a new file that is partly wrong the right entries run, and the problem is told (18.5)', async () => {
    const { directory, start } = await gateway({}, monday);
    const scheduler = await start();
    await put(directory, 'cron.md', `${daily}\n\n## Broken\n- schedule: 99 9 * * *\n\nNever.`);
    const { runs, problems } = await scheduler.planned();
    expect(runs.map(({ name }) => name)).toEqual(['Report']);
    expect(problems).toEqual([expect.stringContaining('"Broken"')]);
  });

  it('ends with its timer, and runs by the time of the machine', async () => {
    const directory = await directoryWith({ 'heartbeat.md': '---\ninterval: 1s\n---\nBeat.' });
    const disk = new Disk();
    const { log } = logLines();
    const scheduler = new Scheduler({
      configDir: directory,
      outputChannel: 'out',
      store: disk,
      submit: disk.submit,
      log,
    });
    await scheduler.start();
    await expect.poll(() => disk.ids.length).toBe(1);
    await scheduler.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(disk.ids).toHaveLength(1);
  });
});

describe('times', () => {
  it('of a cron entry are those of its time zone, through the change to summer time', () => {
    const timing = { type: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' } as const;
    const at = (text: string) => Date.parse(text);
    expect(lastDue(timing, at('2026-03-28T00:00Z'), at('2026-03-28T12:00Z'))).toBe(at('2026-03-28T08:00Z'));
    expect(lastDue(timing, at('2026-03-28T12:00Z'), at('2026-03-29T12:00Z'))).toBe(at('2026-03-29T07:00Z'));
    expect(lastDue(timing, at('2026-03-29T07:00Z'), at('2026-03-29T12:00Z'))).toBeUndefined();
    expect(lastDue(timing, at('2026-03-28T12:00Z'), at('2026-03-29T07:00Z'))).toBe(at('2026-03-29T07:00Z'));
  });

  it('that come this very moment have come, also when others were missed before', () => {
    const timing = { type: 'cron', expression: '0 9 * * *', timezone: 'UTC' } as const;
    expect(lastDue(timing, monday, monday + day + 9 * hour)).toBe(monday + day + 9 * hour);
    expect(lastDue(timing, monday, monday + day + 9 * hour - 1)).toBe(monday + 9 * hour);
  });

  it('years after the last one are found at once', () => {
    const timing = { type: 'cron', expression: '* * * * *', timezone: 'UTC' } as const;
    const began = cpuMs();
    expect(lastDue(timing, 0, monday + 30 * second)).toBe(monday);
    expect(cpuMs() - began).toBeLessThan(500);
  });

  it('further than a timer reaches do not fire at once', async () => {
    let fired = false;
    const cancel = systemClock.setTimer(2 ** 40, () => {
      fired = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel();
    expect(fired).toBe(false);
  });
});
