import type { Clocks } from '../config/limits.js';
import type { ChatEvent } from '../core/chat-event.js';
import { timeoutMessage } from '../core/permission-timeout.js';
import type { Alarm } from './alarm.js';

/** An expired clock, with a message that names it. */
export type Expiry =
  | { readonly type: 'turn'; readonly message: string }
  | { readonly type: 'permission'; readonly id: string; readonly message: string };

/**
 * Runs separate clocks for separate things: the model's clock does not end a long quiet tool, and neither
 * ends a turn while a person thinks about a permission. Only activity of the model or a tool counts as a sign
 * of life: notices (a CLI that tries for ever to reach its API) don't.
 *
 * The model's and the tools' clocks stand still while the reader is busy with an event: a slow reader is not
 * a silent model. They also stand still while any permission is pending, because no CLI tells which tool it
 * holds up. The clocks of the whole turn and of a permission go on: they are promises about the time of day.
 *
 * An event moves clocks, not timers: there is one alarm, for the clock that is due first, and if it rings too
 * early it is set again.
 */
export class Watchdog {
  readonly #clocks: Clocks;
  readonly #onExpiry: (expiry: Expiry) => void;
  /** The tools at work, the longest-running first: it is the first to be late, since all have the same limit. */
  readonly #tools = new Map<string, RunningTool>();
  readonly #toolTime = new Stopwatch();
  readonly #permissions = new Map<string, Clock>();
  readonly #silence: Clock;
  readonly #turn: Clock;
  readonly #alarm: Alarm;
  #paused = false;
  #stopped = false;
  /** True while the CLI has answered and waits for a task in the background. */
  #silenceExpected = false;

  /**
   * The alarm belongs to the session, whose turns use it one after the other. `spentMs` of the turn's time have passed
   * already.
   */
  constructor(clocks: Clocks, alarm: Alarm, onExpiry: (expiry: Expiry) => void, spentMs = 0) {
    const { turnMs, modelSilenceMs } = clocks;
    this.#clocks = clocks;
    this.#alarm = alarm;
    this.#onExpiry = onExpiry;
    alarm.listen(this.#ring);
    const late = () => this.#expire(`The turn took longer than ${seconds(turnMs)}`);
    this.#turn = new Clock(turnMs, late, spentMs);
    this.#silence = new Clock(modelSilenceMs, () =>
      this.#expire(`No output from the model for ${seconds(modelSilenceMs)}`),
    );
    this.#listen();
    this.#run(this.#turn);
  }

  /** Must be called when the reader gets an event, until it asks for the next one. */
  pause(): void {
    this.#paused = true;
    this.#silence.pause();
    this.#toolTime.pause();
  }

  /** Continues the clocks with the time that was left. */
  resume(): void {
    this.#paused = false;
    if (this.#modelIsToSpeak) this.#run(this.#silence);
    this.#runTools();
  }

  /** While silence is expected, the model's clock does not run. */
  expectSilence(expected: boolean): void {
    if (expected === this.#silenceExpected) return;
    this.#silenceExpected = expected;
    this.#listen();
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'notice':
        // A CLI that tells of a failed call and of the next one is not stuck.
        if (event.retry === undefined) return;
        break;
      case 'tool_start':
        this.#watchTool(event.id, event.name);
        break;
      case 'tool_end':
        this.#tools.delete(event.id);
        break;
      case 'permission_request':
        this.#watchPermission(event.id, event.tool);
        break;
      case 'permission_resolved':
        this.#permissions.delete(event.id);
        this.#runTools();
        break;
    }
    this.#listen();
  }

  stop(): void {
    this.#stopped = true;
    this.#alarm.ignore(this.#ring);
  }

  /** True while it is the model's turn to speak, which is when its silence counts. */
  get #modelIsToSpeak(): boolean {
    return this.#tools.size === 0 && this.#permissions.size === 0 && !this.#silenceExpected;
  }

  #listen(): void {
    this.#silence.reset();
    if (this.#modelIsToSpeak && !this.#paused) this.#run(this.#silence);
  }

  #watchTool(id: string, name: string): void {
    // Deleted first: a tool that is set again would keep its place.
    this.#tools.delete(id);
    this.#tools.set(id, { name, begunAt: this.#toolTime.passed });
    this.#runTools();
  }

  #runTools(): void {
    if (this.#paused || this.#permissions.size > 0 || this.#tools.size === 0) return;
    this.#toolTime.run();
    if (!this.#stopped) this.#alarm.setFor(this.#toolsDueAt);
  }

  get #toolsDueAt(): number {
    const [oldest] = this.#tools.values();
    const { toolMs } = this.#clocks;
    if (oldest === undefined || toolMs <= 0) return Number.POSITIVE_INFINITY;
    return this.#toolTime.reaches(oldest.begunAt + toolMs);
  }

  #watchPermission(id: string, tool: string): void {
    const { permissionMs } = this.#clocks;
    const message = timeoutMessage(tool, seconds(permissionMs));
    const clock = new Clock(permissionMs, () => this.#onExpiry({ type: 'permission', id, message }));
    this.#permissions.set(id, clock);
    this.#toolTime.pause();
    this.#run(clock);
  }

  #run(clock: Clock): void {
    clock.run();
    if (!this.#stopped) this.#alarm.setFor(clock.dueAt);
  }

  readonly #ring = (): void => {
    const now = performance.now();
    const running = [this.#turn, ...this.#permissions.values(), this.#silence];
    for (const clock of running) if (!this.#stopped && clock.dueAt <= now) clock.expire();
    if (!this.#stopped && this.#toolsDueAt <= now) this.#expireTool();
    if (!this.#stopped) this.#alarm.setFor(Math.min(this.#toolsDueAt, ...running.map(({ dueAt }) => dueAt)));
  };

  #expireTool(): void {
    const [oldest] = this.#tools.values();
    this.#expire(`The tool ${oldest?.name} ran for longer than ${seconds(this.#clocks.toolMs)}`);
  }

  #expire(message: string): void {
    this.stop();
    this.#onExpiry({ type: 'turn', message });
  }
}

interface RunningTool {
  readonly name: string;
  /** The reading of the tools' stopwatch at which it began. */
  readonly begunAt: number;
}

/** The time in which tools could work. One for all of them: they stand still together. */
class Stopwatch {
  #passed = 0;
  #since: number | undefined;

  get passed(): number {
    return this.#passed + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  run(): void {
    this.#since ??= performance.now();
  }

  pause(): void {
    this.#passed = this.passed;
    this.#since = undefined;
  }

  /** The time of `performance.now()` at which it shows the reading, if it goes on. */
  reaches(reading: number): number {
    return this.#since === undefined ? Number.POSITIVE_INFINITY : this.#since + reading - this.#passed;
  }
}

/** A time that runs down and can be paused. 0 means no limit. */
class Clock {
  readonly #ms: number;
  readonly #act: () => void;
  #left: number;
  #since: number | undefined;

  constructor(ms: number, act: () => void, spentMs = 0) {
    this.#ms = ms > 0 ? ms : Number.POSITIVE_INFINITY;
    this.#left = Math.max(0, this.#ms - spentMs);
    this.#act = act;
  }

  get dueAt(): number {
    return this.#since === undefined ? Number.POSITIVE_INFINITY : this.#since + this.#left;
  }

  run(): void {
    this.#since ??= performance.now();
  }

  pause(): void {
    if (this.#since === undefined) return;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
    this.#since = undefined;
  }

  reset(): void {
    this.#left = this.#ms;
    this.#since = undefined;
  }

  expire(): void {
    this.reset();
    this.#act();
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
