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
 */
export class Watchdog {
  readonly #clocks: Clocks;
  readonly #onExpiry: (expiry: Expiry) => void;
  readonly #tools = new Map<string, NodeJS.Timeout | undefined>();
  readonly #permissions = new Map<string, NodeJS.Timeout | undefined>();
  #silence: NodeJS.Timeout | undefined;
  #turn: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks, onExpiry: (expiry: Expiry) => void) {
    this.#clocks = clocks;
    this.#onExpiry = onExpiry;
    this.#turn = this.#after(clocks.turnMs, () =>
      this.#expire(`The turn took longer than ${seconds(clocks.turnMs)}`),
    );
    this.#listen();
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'notice':
        return;
      case 'tool_start':
        this.#tools.set(event.id, this.#toolClock(event.id, event.name));
        break;
      case 'tool_end':
        clearTimeout(this.#tools.get(event.id));
        this.#tools.delete(event.id);
        break;
      case 'permission_request':
        this.#permissions.set(event.id, this.#permissionClock(event.id, event.tool));
        break;
      case 'permission_resolved':
        clearTimeout(this.#permissions.get(event.id));
        this.#permissions.delete(event.id);
        break;
    }
    this.#listen();
  }

  stop(): void {
    for (const timer of [this.#silence, this.#turn, ...this.#tools.values(), ...this.#permissions.values()])
      clearTimeout(timer);
    this.#tools.clear();
    this.#permissions.clear();
  }

  /** The model's silence counts only while it is the model's turn to say something. */
  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    if (this.#tools.size > 0 || this.#permissions.size > 0) return;
    const { modelSilenceMs } = this.#clocks;
    this.#silence = this.#after(modelSilenceMs, () =>
      this.#expire(`No output from the model for ${seconds(modelSilenceMs)}`),
    );
  }

  #toolClock(id: string, name: string): NodeJS.Timeout | undefined {
    const { toolMs } = this.#clocks;
    return this.#after(toolMs, () => {
      // A tool that waits for a permission does not run.
      if (this.#permissions.size > 0) this.#tools.set(id, this.#toolClock(id, name));
      else this.#expire(`The tool ${name} ran for longer than ${seconds(toolMs)}`);
    });
  }

  #permissionClock(id: string, tool: string): NodeJS.Timeout | undefined {
    const { permissionMs } = this.#clocks;
    const message = `Nobody answered the permission request for ${tool} within ${seconds(permissionMs)}`;
    return this.#after(permissionMs, () => this.#onExpiry({ type: 'permission', id, message }));
  }

  #expire(message: string): void {
    this.stop();
    this.#onExpiry({ type: 'turn', message });
  }

  #after(ms: number, act: () => void): NodeJS.Timeout | undefined {
    return ms > 0 ? setTimeout(act, Math.min(ms, 2 ** 31 - 1)) : undefined;
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
