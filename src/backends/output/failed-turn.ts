import { type ErrorCode, type ErrorEvent, errorEvent } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { type Advice, adviceFor, isDailyQuota, isOutOfCredit } from './advice.js';
import { retryAfterIn, untilMs } from './retry-after.js';

export interface FailedTurn {
  readonly code: ErrorCode;
  /** What the CLI or the API said. */
  readonly words: string;
  /** The words as they are shown. Default: as they are. */
  readonly message?: string;
  readonly retryAfterMs?: number | undefined;
  /** The time at which a limit ends, in ms since 1970. */
  readonly retryAt?: number | undefined;
}

/** The end of a turn that a CLI has reported as failed: its words, what to do about it, and when a limit ends. */
export function failedTurn(failed: FailedTurn, advice: Advice | undefined): ErrorEvent {
  const { code, words, message = words } = failed;
  const hint = adviceFor(code, words, advice);
  // The last line break of stderr is no part of what is told; R8.2 has stderr as it was, in `detail`.
  const told = code === 'session_not_found' ? notFound : message.trimEnd();
  const event = errorEvent(code, hint === undefined ? told : `${told}\n${hint}`);
  const passes = code === 'rate_limit' || code === 'overloaded';
  const lasts = code === 'rate_limit' && (isOutOfCredit(words) || isDailyQuota(words));
  const retryAfterMs = passes && !lasts ? timeToWait(failed, Date.now()) : undefined;
  return {
    ...event,
    ...(event.message === message ? {} : { detail: message }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(lasts ? { retryable: false } : {}),
  };
}

/** In place of the CLI's words, which explain its own flags. */
const notFound = 'The session to resume was not found.';

function timeToWait({ retryAfterMs, retryAt, words }: FailedTurn, now: number): number | undefined {
  const told = retryAfterMs !== undefined && retryAfterMs >= 0 ? now + retryAfterMs : retryAt;
  return (told === undefined ? undefined : untilMs(told, now)) ?? retryAfterIn(words, now);
}

/** The same error with the vendor's advice, where it has none yet. */
export function withAdvice(error: TurnoutError, advice: Advice | undefined): TurnoutError {
  if (error.hint !== undefined) return error;
  const hint = adviceFor(error.code, error.message, advice);
  if (hint === undefined) return error;
  const message = error.code === 'session_not_found' ? notFound : error.message;
  return new TurnoutError(error.code, message, { hint, cause: error });
}
