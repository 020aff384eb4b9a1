import type { ChatEvent } from '../core/chat-event.js';
import type { Clocks } from './types.js';

/** Why a clock ended something: a sentence with its name in it. */
export type Expiry =
  | { readonly type: 'turn'; readonly message: string }
  | { readonly type: 'permission'; readonly id: string; readonly message: string };

/**
 * Separate clocks for separate things: a long quiet tool is not killed by the model's clock, and a person who thinks
 * about a permission is not killed by either. Only what the model or a tool does counts as a sign of life: notices
 * (a CLI that tries for ever to reach its API) don't.
 *
 * While the reader is busy with an event the model's and the tools' clocks stand still: a slow reader is not a silent
 * model. The whole turn's clock and a permission's deadline go on: they are promises about the time of day.
 */
export class Watchdog {
  readonly #clocks: Clocks;
  readonly #onExpiry: (expiry: Expiry) => void;
  readonly #tools = new Map<string, Clock>();
  readonly #permissions = new Map<string, Clock>();
  #silence: Clock | undefined;
  readonly #turn: Clock;
  #paused = false;

  constructor(clocks: Clocks, onExpiry: (expiry: Expiry) => void) {
    this.#clocks = clocks;
    this.#onExpiry = onExpiry;
    this.#turn = new Clock(clocks.turnMs, () =>
      this.#expire(`The turn took longer than ${seconds(clocks.turnMs)}`),
    );
    this.#turn.run();
    this.#listen();
  }

  /** The reader has an event and has not asked for the next one yet. */
  pause(): void {
    this.#paused = true;
    this.#silence?.pause();
    for (const clock of this.#tools.values()) clock.pause();
  }

  /** What was left of the clocks runs again. */
  resume(): void {
    this.#paused = false;
    this.#silence?.run();
    for (const clock of this.#tools.values()) clock.run();
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'notice':
        return;
      case 'tool_start':
        this.#tools.set(event.id, this.#toolClock(event.id, event.name));
        break;
      case 'tool_end':
        this.#tools.get(event.id)?.stop();
        this.#tools.delete(event.id);
        break;
      case 'permission_request':
        this.#permissions.set(event.id, this.#permissionClock(event.id, event.tool));
        break;
      case 'permission_resolved':
        this.#permissions.get(event.id)?.stop();
        this.#permissions.delete(event.id);
        break;
    }
    this.#listen();
  }

  stop(): void {
    for (const clock of [this.#silence, this.#turn, ...this.#tools.values(), ...this.#permissions.values()])
      clock?.stop();
    this.#silence = undefined;
    this.#tools.clear();
    this.#permissions.clear();
  }

  /** The model's silence counts only while it is the model's turn to say something. */
  #listen(): void {
    this.#silence?.stop();
    this.#silence = undefined;
    if (this.#tools.size > 0 || this.#permissions.size > 0) return;
    const { modelSilenceMs } = this.#clocks;
    this.#silence = new Clock(modelSilenceMs, () =>
      this.#expire(`No output from the model for ${seconds(modelSilenceMs)}`),
    );
    if (!this.#paused) this.#silence.run();
  }

  #toolClock(id: string, name: string): Clock {
    const { toolMs } = this.#clocks;
    const clock = new Clock(toolMs, () => {
      // A tool that waits for a permission does not run.
      if (this.#permissions.size > 0) this.#tools.set(id, this.#toolClock(id, name));
      else this.#expire(`The tool ${name} ran for longer than ${seconds(toolMs)}`);
    });
    if (!this.#paused) clock.run();
    return clock;
  }

  #permissionClock(id: string, tool: string): Clock {
    const { permissionMs } = this.#clocks;
    const message = `Nobody answered the permission request for ${tool} within ${seconds(permissionMs)}`;
    const clock = new Clock(permissionMs, () => this.#onExpiry({ type: 'permission', id, message }));
    clock.run();
    return clock;
  }

  #expire(message: string): void {
    this.stop();
    this.#onExpiry({ type: 'turn', message });
  }
}

/** A time that runs down, and can be paused. 0 is for ever. */
class Clock {
  readonly #act: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, act: () => void) {
    this.#left = ms > 0 ? Math.min(ms, 2 ** 31 - 1) : Number.POSITIVE_INFINITY;
    this.#act = act;
  }

  run(): void {
    if (this.#timer !== undefined || this.#left === Number.POSITIVE_INFINITY) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#act, this.#left);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    this.stop();
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
