interface ApiError {
  /** Claude's code for the failure, in the `error` of the message that carries it. */
  readonly reason: string;
  readonly message: string;
  /** True if Claude retries before it gives up. */
  readonly retried: boolean;
}

/** The reports of Claude 2.1 for each status of the API. */
const apiErrors: Readonly<Record<number, ApiError>> = {
  400: { reason: 'unknown', message: 'API Error: 400 demo: the request is invalid', retried: false },
  401: {
    reason: 'authentication_failed',
    message: 'Failed to authenticate. API Error: 401 demo: invalid x-api-key',
    retried: true,
  },
  403: {
    reason: 'authentication_failed',
    message: 'Failed to authenticate. API Error: 403 demo: not allowed',
    retried: false,
  },
  404: {
    reason: 'model_not_found',
    message:
      "There's an issue with the selected model. It may not exist or you may not have access to it. Run --model to pick a different model.",
    retried: false,
  },
  413: { reason: 'invalid_request', message: 'Request too large (max 32MB).', retried: false },
  429: {
    reason: 'rate_limit',
    message: 'API Error: Request rejected (429) · demo: too many requests',
    retried: true,
  },
  500: { reason: 'server_error', message: 'API Error: 500 demo: internal server error', retried: true },
  529: { reason: 'server_error', message: 'API Error: 529 demo: overloaded', retried: true },
};

const otherError: ApiError = { reason: 'unknown', message: 'API Error: demo', retried: false };

export function isApiError(status: number): boolean {
  return status in apiErrors;
}

export function describeApiError(status: number): ApiError {
  return apiErrors[status] ?? otherError;
}
