import { TurnoutError } from '../../../../core/errors.js';
import { toProblem } from '../problem.js';

type ProblemType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error';

export type ProblemStatus = 400 | 401 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 429 | 500 | 502 | 503 | 504;

export interface ProblemDetails {
  readonly param?: string | undefined;
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** The reason why a request of an OpenAI client can't be served, in the shape that these clients show and throw. */
export class OpenAiProblem extends Error {
  override readonly name = 'OpenAiProblem';
  readonly status: ProblemStatus;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, message: string, details: ProblemDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = status;
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.headers = details.headers ?? {};
  }

  get body() {
    const { message, param, code } = this;
    return { error: { message, type: typeOf(this.status), param, code } };
  }
}

/** A field of the request that is wrong, or that an agent can't follow. */
export function badField(param: string, message: string, code?: string): OpenAiProblem {
  return new OpenAiProblem(400, `${param}: ${message}`, { param, code });
}

export function toOpenAiProblem(cause: unknown): OpenAiProblem {
  if (cause instanceof OpenAiProblem) return cause;
  if (cause instanceof TurnoutError && cause.code === 'unsupported')
    return new OpenAiProblem(400, cause.explanation, { code: cause.code, cause });
  const { status, message, code, headers } = toProblem(cause);
  return new OpenAiProblem(status, message, { code, headers, cause });
}

/** True for the paths whose errors OpenAI's clients read. */
export function isOpenAiPath(path: string): boolean {
  return /^\/v1\/(?:models|chat|responses)(?:\/|$)/.test(path);
}

function typeOf(status: ProblemStatus): ProblemType {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
