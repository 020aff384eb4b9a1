import type { ErrorCode } from '../core/chat-event.js';
import type { IterationError } from './journal.js';

const defaultRetries = 2;
/** Limits of a day or of some hours are waited for: the chain has the night. */
const longestWaitMs = 6 * 3600_000;

/** To try again changes nothing about these. */
const hopeless: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'auth',
  'bad_request',
  'not_installed',
  'unsupported',
  'interrupted',
]);

/**
 * True if a failed run is to be tried again. With a number in the chain's `retry` that counts; without one only what may pass is
 * tried again, and nothing that has begun its tools.
 */
export function isWorthAnother(
  error: IterationError,
  attemptsMade: number,
  retry: number | undefined,
): boolean {
  if (hopeless.has(error.code)) return false;
  if (retry !== undefined) return attemptsMade <= retry;
  return attemptsMade <= defaultRetries && error.retryable && !error.toolsBegun;
}

/** The time until the attempt: what the API asks for, else twice as long each time. */
export function waitBefore(attempt: number, { retryAfterMs }: IterationError, firstMs: number): number {
  return Math.min(retryAfterMs ?? firstMs * 2 ** (attempt - 2), longestWaitMs);
}
