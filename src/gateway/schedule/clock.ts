import { longestTimerMs } from '../../core/wait.js';
export interface Clock {
  /** The time in ms since 1970. */
  now(): number;
  /** Calls back once, after `ms`; the result cancels that. */
  setTimer(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, callback) {
    // A timer of more than 2^31 ms fires at once.
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), longestTimerMs));
    return () => clearTimeout(timer);
  },
};
