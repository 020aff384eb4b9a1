import { type ErrorCode, interruptedMessage } from './chat-event.js';

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
