import { TurnoutError } from '../../../../core/errors.js';
import { type ProblemStatus, toProblem } from '../problem.js';

type ProblemType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error';

/** Beside the gateway's own, the statuses of agents that fail. */
export type OpenAiStatus = ProblemStatus | 502 | 504;

export interface ProblemDetails {
  readonly param?: string | undefined;
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** The reason why a request of an OpenAI client can't be served, in the shape that these clients show and throw. */
export class OpenAiProblem extends Error {
  override readonly name = 'OpenAiProblem';
  readonly status: OpenAiStatus;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: OpenAiStatus, message: string, details: ProblemDetails = {}) {
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

export function toOpenAiProblem(cause: unknown, outcome: string): OpenAiProblem {
  if (cause instanceof OpenAiProblem) return cause;
  if (cause instanceof TurnoutError && cause.code === 'unsupported')
    return new OpenAiProblem(400, cause.explanation, { code: cause.code, cause });
  const { status, message, code, headers } = toProblem(cause, outcome);
  return new OpenAiProblem(status, message, { code, headers, cause });
}

/** True for the paths whose errors OpenAI's clients read. */
export function isOpenAiPath(path: string): boolean {
  return /^\/v1\/(?:models|chat|responses)(?:\/|$)/.test(path);
}

function typeOf(status: OpenAiStatus): ProblemType {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
