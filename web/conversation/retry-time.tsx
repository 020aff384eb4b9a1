import { durationInWords, timeInWords } from '../in-words.js';
import { useNow } from './use-now.js';

/** A longer wait is told by the clock. */
const longestCountdownMs = 10 * 60_000;

/** When a message is tried again: it counts down, if that is soon. */
export function RetryTime({ at }: { readonly at: string }) {
  return <>{retryInWords(at, useNow())}</>;
}

export function retryInWords(at: string, now: number): string {
  const left = Date.parse(at) - now;
  if (left > longestCountdownMs) return `Tried again at ${timeInWords(at, new Date(now))}.`;
  // A part of a second is still to be waited for.
  return left <= 0 ? 'Tried again now.' : `Tried again in ${durationInWords(left + 999)}.`;
}
