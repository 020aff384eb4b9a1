import { linkedSignal } from './linked-signal.js';

/** The signal is aborted after `ms`, or with any of the others. `release` lets go of the timer and of them. */
export function waitLimit(
  ms: number,
  others: readonly AbortSignal[],
): { signal: AbortSignal; release: () => void } {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ms);
  const linked = linkedSignal([...others, timeout.signal]);
  const release = () => {
    clearTimeout(timer);
    linked.release();
  };
  return { signal: linked.signal, release };
}
