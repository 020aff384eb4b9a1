import { randomUUID } from 'node:crypto';
import type { GatewayEvent } from './events.js';

export interface Dispatch {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** A session outlives its socket: what is dispatched meanwhile is replayed to the client that resumes it. */
export class Session {
  readonly id = randomUUID().replaceAll('-', '');
  /** When its socket was lost. */
  detachedAt: number | undefined;
  readonly #sent: Dispatch[] = [];
  #send: ((dispatch: Dispatch) => void) | undefined;

  constructor(
    readonly intents: number,
    private readonly now: () => number,
  ) {}

  get sequence(): number {
    return this.#sent.length;
  }

  dispatch(event: GatewayEvent): void {
    const data = event.dataFor(this.intents);
    if (data !== undefined) this.push(event.type, data);
  }

  push(type: string, data: unknown): void {
    const dispatch: Dispatch = { op: 0, t: type, s: this.#sent.length + 1, d: data };
    this.#sent.push(dispatch);
    this.#send?.(dispatch);
  }

  /** Sends what the client hasn't seen, and then what comes. */
  attach(send: (dispatch: Dispatch) => void, seen = this.sequence): void {
    this.#send = send;
    this.detachedAt = undefined;
    for (const dispatch of this.#sent.slice(seen)) send(dispatch);
  }

  detach(): void {
    this.#send = undefined;
    this.detachedAt ??= this.now();
  }
}
