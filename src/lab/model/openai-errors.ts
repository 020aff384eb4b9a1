import type { JsonObject } from './json.js';

/** The error body that both OpenAI APIs share. */
export function openAiErrorBody(status: number, message: string): JsonObject {
  return {
    error: { message, type: types[status] ?? 'server_error', param: null, code: codes[status] ?? null },
  };
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  403: 'invalid_request_error',
  404: 'invalid_request_error',
  429: 'requests',
};

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  403: 'unsupported_country_region_territory',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  500: 'server_error',
  503: 'server_is_overloaded',
};
