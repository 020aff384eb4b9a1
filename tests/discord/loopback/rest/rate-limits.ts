import type { MovableClock } from '../state/clock.js';

export interface RateLimit {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

export interface Allowance {
  readonly allowed: boolean;
  readonly global: boolean;
  /** Seconds until the window ends. */
  readonly resetAfter: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** All requests of a bot together. Answers to interactions don't count. */
const globalLimit: RateLimit = { requests: 50, per: 1000 };

/**
 * Discord's limits: one bucket for each route and channel (or webhook), and one for all. `scale` shortens the windows, since the
 * client really waits for their ends: with 0.02, five messages in 5 seconds are five in 100 milliseconds.
 */
export class RateLimits {
  readonly #windows = new Map<string, { used: number; endsAt: number }>();

  constructor(
    private readonly clock: MovableClock,
    private readonly scale: number,
  ) {}

  take(route: string, major: string, limit: RateLimit, countsGlobally: boolean): Allowance {
    const everything = countsGlobally ? this.#take('everything', globalLimit) : undefined;
    if (everything && !everything.allowed) return { ...everything, global: true, headers: {} };
    const { used, allowed, resetAfter } = this.#take(`${route} ${major}`, limit);
    const headers = {
      'x-ratelimit-limit': String(limit.requests),
      'x-ratelimit-remaining': String(Math.max(0, limit.requests - used)),
      'x-ratelimit-reset': String((this.clock.now() / 1000 + resetAfter).toFixed(3)),
      'x-ratelimit-reset-after': resetAfter.toFixed(3),
      'x-ratelimit-bucket': Buffer.from(route).toString('hex').slice(-32),
    };
    return { allowed, global: false, resetAfter, headers };
  }

  #take(key: string, { requests, per }: RateLimit): { used: number; allowed: boolean; resetAfter: number } {
    const now = this.clock.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { used: 0, endsAt: now + per * this.scale };
      this.#windows.set(key, window);
    }
    window.used += 1;
    return { used: window.used, allowed: window.used <= requests, resetAfter: (window.endsAt - now) / 1000 };
  }
}
