import { isShortage, TurnoutError } from '../../../core/errors.js';
import { remedyFor, StoreError, type StoreFault } from '../../../store/errors.js';
import { ChangedSince, NotAsShown } from '../changed-since.js';

type ProblemCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timeout'
  | 'conflict'
  | 'changed_since'
  | 'gone'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'unavailable'
  | 'internal';

const statuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  changed_since: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ProblemCode, number>;

export type ProblemStatus = (typeof statuses)[ProblemCode];

/** The reason why a request can't be served, as its sender is told. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
  }

  get status(): ProblemStatus {
    return statuses[this.code];
  }

  get body(): { readonly error: { readonly code: ProblemCode; readonly message: string } } {
    return { error: { code: this.code, message: this.message } };
  }
}

/** What a failure means to the sender of a request that is none to send a message. */
export function outcomeOf(method: string): string {
  return method === 'GET' || method === 'HEAD' ? "This can't be read now" : 'Nothing was changed';
}

/** An error that a handler did not expect is answered without any detail of the inside. `outcome` is what it means to the sender. */
export function toProblem(cause: unknown, outcome: string): HttpProblem {
  if (cause instanceof HttpProblem) return cause;
  if (cause instanceof StoreError) return storeProblem(cause, outcome);
  if (cause instanceof ChangedSince) return new HttpProblem('conflict', cause.explanation, { cause });
  if (cause instanceof NotAsShown) return new HttpProblem('changed_since', cause.explanation, { cause });
  if (cause instanceof TurnoutError && cause.code === 'bad_request') {
    return new HttpProblem('bad_request', cause.explanation, { cause });
  }
  // Only a client that is gone takes a request back: nobody reads this, and it is no failure to log.
  if (cause instanceof TurnoutError && cause.code === 'interrupted')
    return new HttpProblem('timeout', 'The request was given up.', { cause });
  if (cause instanceof TurnoutError && cause.code === 'overloaded')
    return unavailable(cause.explanation, cause);
  if (isShortage(cause)) return shortageProblem(cause, outcome);
  return new HttpProblem('internal', 'The gateway failed on this request; its log says why.', { cause });
}

/**
 * `outcome` tells the sender what the failure means to it: a message that was not kept must be sent again. A lost file does not come
 * back by itself: then it says what the operator does about it.
 */
export function storeProblem(error: StoreError, outcome: string): HttpProblem {
  const { fault, lost } = error;
  const why =
    lost === undefined
      ? `${faults[fault]}. Try again later.`
      : `the gateway's file ${lost.file} was ${lost.fate}. ${remedyFor(lost)}`;
  return unavailable(`${outcome}: ${why}`, error);
}

/** The machine has run out of something that the request needs. */
export function shortageProblem(cause: unknown, outcome: string): HttpProblem {
  return unavailable(`${outcome}: the gateway's machine has run out of something. Try again later.`, cause);
}

const retryAfterSeconds = '5';

function unavailable(message: string, cause: unknown): HttpProblem {
  return new HttpProblem('unavailable', message, { headers: { 'Retry-After': retryAfterSeconds }, cause });
}

const faults: Readonly<Record<StoreFault, string>> = {
  full: "the disk of the gateway's store is full",
  locked: "the gateway's store is locked",
  read_only: "the gateway's store can't be written",
  corrupt: "the gateway's store is damaged",
  closed: 'the gateway is stopping',
  lost_file: "a file of the gateway's store was removed, replaced or truncated",
  lost_lease: "the gateway's store refused the change",
  io: "the disk of the gateway's store fails",
  failed: "the gateway's store failed",
};
