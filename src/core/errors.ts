import {
  type ErrorCode,
  type ErrorEvent,
  errorEvent,
  interruptedMessage,
  timeoutMessage,
} from './chat-event.js';

/**
 * The one error class that Turnout throws. Expected endings of a turn are events; this is for misuse
 * and broken machinery. `message` says what happened to what, `hint` what to do about it.
 */
export class TurnoutError extends Error {
  override readonly name: string = 'TurnoutError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The message and the hint together, for a person. */
  get explanation(): string {
    return this.hint === undefined ? this.message : `${this.message}\n${this.hint}`;
  }
}

/** The error of a wait that ends because the caller took the request back. */
export function interruptedError(): TurnoutError {
  return new TurnoutError('interrupted', interruptedMessage);
}

/** True if the signal was aborted because its time is up, as that of `AbortSignal.timeout` is. */
export function isTimeout({ reason }: AbortSignal): boolean {
  return Object(reason).name === 'TimeoutError';
}

/** The error of what an aborted signal has ended. */
export function abortError(signal: AbortSignal): TurnoutError {
  return isTimeout(signal) ? new TurnoutError('timeout', timeoutMessage) : interruptedError();
}

/** The end of a turn that an aborted signal has ended. */
export function abortEvent(signal: AbortSignal): ErrorEvent {
  return failureEvent(abortError(signal));
}

/** The end of a turn that could not be begun, or that broken machinery has ended. */
export function failureEvent(error: TurnoutError): ErrorEvent {
  const event = errorEvent(error.code, error.explanation);
  return isShortage(error) ? { ...event, shortage: true } : event;
}

/** Errors of a machine that has run out of something: file descriptors, processes, memory, disk space; or a disk that fails. */
const shortages: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'ENOSPC',
  'EDQUOT',
  'EIO',
]);

/** True if the error, or what caused it, is a passing want of the machine's: the same act may succeed later. */
export function isShortage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && shortages.has(cause.code)) return true;
  }
  return false;
}
