import { classifyFailure } from '../output/classify-failure.js';
import type { Ending } from '../output/ending.js';
import { interruptedEnding } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { number, object, text } from '../output/read-fields.js';

/** The ending of a turn with this error of OpenCode. A filter that stopped the model is an answer: a refusal. */
export function errorEnding(error: JsonObject): Ending {
  const known = failure(error);
  const headers = object(object(error['data'])['responseHeaders']);
  const after = text(headers['retry-after']);
  const message =
    after === ''
      ? known.message
      : `${known.message} (retry after ${after}${/^\d+$/.test(after) ? ' s' : ''})`;
  switch (error['name']) {
    case 'MessageAbortedError':
      return interruptedEnding;
    case 'ContentFilterError':
      return { type: 'answered', stopReason: 'refusal' };
    case 'ProviderAuthError':
      return { type: 'failed', code: 'auth', message };
    case 'ContextOverflowError':
    case 'MessageOutputLengthError':
      return { type: 'failed', code: 'bad_request', message };
    default:
      return { ...known, message };
  }
}

export function failure(error: JsonObject): Ending & { readonly type: 'failed' } {
  const data = object(error['data']);
  const message = text(data['message']) || text(error['message']) || text(error['name']) || 'the turn failed';
  const status = number(data['statusCode']);
  const known = classifyFailure(`${text(error['name'])} ${message}`, status >= 400 ? status : undefined);
  const code = known === 'unknown' && brokenConnection.test(message) ? 'network' : known;
  return { type: 'failed', message, ...(code === 'unknown' ? {} : { code }) };
}

// Seen: "Cannot connect to API: The socket connection was closed unexpectedly. For more information, …"
const brokenConnection = /cannot connect to api|socket connection was closed/i;
