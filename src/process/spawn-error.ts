import type { ErrorCode } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';

/**
 * The error of a failed start of a child. `errno` is the system's or Node's code, such as ENOENT or E2BIG.
 */
export class SpawnError extends TurnoutError {
  override readonly name = 'SpawnError';
  readonly errno: string;
  readonly command: string;

  constructor(code: ErrorCode, message: string, facts: SpawnFacts) {
    super(code, message, { hint: facts.hint, cause: facts.cause });
    this.errno = facts.errno;
    this.command = facts.command;
  }
}

export interface SpawnFacts {
  readonly errno: string;
  readonly command: string;
  readonly hint: string;
  readonly cause?: unknown;
}
