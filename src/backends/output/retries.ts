import {
  type ChatEvent,
  type ErrorCode,
  type ErrorEvent,
  errorEvent,
  type NoticeEvent,
  type Retry,
} from '../../core/chat-event.js';
import type { Advice } from './advice.js';
import { failedTurn } from './failed-turn.js';

/** The notice of a retry, in the same words for every CLI. */
export function retryNotice(label: string, retry: Retry, raw?: string): NoticeEvent {
  const { attempt, of, delayMs, status, reason } = retry;
  const told = status !== undefined && !reason.includes(String(status)) ? `${status}, ${reason}` : reason;
  const count = of === undefined ? `retry ${attempt}` : `retry ${attempt} of ${of}`;
  const wait = delayMs === undefined ? '' : ` in ${seconds(delayMs)}`;
  const message = `The API failed (${told}); ${label} tries again: ${count}${wait}`;
  return { type: 'notice', level: 'warning', message, ...(raw === undefined ? {} : { raw }), retry };
}

/**
 * The error of a turn whose CLI would try in vain, or for longer than the turn may take. `patienceMs` is the time that the turn
 * may stay silent; `undefined` if there is no limit.
 */
export function hopelessRetry(
  retry: Retry,
  patienceMs: number | undefined,
  advice: Advice | undefined,
): ErrorEvent | undefined {
  const { code, attempt, delayMs, reason } = retry;
  if (unhealing.has(code) && attempt >= vainAttempt) {
    const message = `The API failed: ${reason} (tried ${attempt} times; it does not pass by itself)`;
    return failedTurn({ code, words: reason, message }, advice);
  }
  if (delayMs === undefined || patienceMs === undefined || delayMs < patienceMs) return undefined;
  const message = `The API failed: ${reason} (the next try would be in ${seconds(delayMs)}, which is longer than the turn may take)`;
  return failedTurn({ code, words: reason, message, retryAfterMs: delayMs }, advice);
}

/** The error of a turn whose time was up. `retry` is what the CLI was waiting for, if it was waiting for one. */
export function timedOut(message: string, retry: Retry | undefined): ErrorEvent {
  if (retry === undefined) return errorEvent('timeout', message);
  const whole = `${message}\nThe API had failed: ${retry.reason} (retry ${retry.attempt})`;
  return { ...errorEvent('timeout', whole), detail: message };
}

/** The retry that a CLI waits for after these events: any other news ends the wait. */
export function awaitedRetry(before: Retry | undefined, events: readonly ChatEvent[]): Retry | undefined {
  return events.reduce(
    (waits, event) => (event.type === 'notice' ? (event.retry ?? waits) : undefined),
    before,
  );
}

/** Errors that stay as they are, however often the request is made again. */
const unhealing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['auth', 'bad_request']);

/**
 * Two retries are left to the CLI: after a 401 it may fetch a new token, or read one that another process has fetched. Claude
 * Code makes ten, over three minutes.
 */
const vainAttempt = 3;

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
