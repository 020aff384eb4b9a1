import type { ErrorCode } from '../../core/chat-event.js';
import { classifyFailure } from '../output/classify-failure.js';
import type { Ending } from '../output/ending.js';
import { interruptedEnding } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { number, object, text } from '../output/read-fields.js';

/** The ending of a turn with this error of OpenCode. A filter that stopped the model is an answer: a refusal. */
export function errorEnding(error: JsonObject): Ending {
  const known = failure(error);
  const { message } = known;
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
      return { ...known, ...retryAfter(object(object(error['data'])['responseHeaders'])) };
  }
}

/** OpenCode tells the headers of the API's answer. */
function retryAfter(headers: JsonObject): Pick<Ending & { type: 'failed' }, 'retryAfterMs' | 'retryAt'> {
  const ms = text(headers['retry-after-ms']);
  if (/^\d+(\.\d+)?$/.test(ms)) return { retryAfterMs: Math.ceil(Number(ms)) };
  const after = text(headers['retry-after']);
  if (/^\d+(\.\d+)?$/.test(after)) return { retryAfterMs: Math.ceil(Number(after) * 1000) };
  const date = Date.parse(after);
  return Number.isNaN(date) ? {} : { retryAt: date };
}

export function failure(error: JsonObject): Ending & { readonly type: 'failed' } {
  const data = object(error['data']);
  const message = text(data['message']) || text(error['message']) || text(error['name']) || 'the turn failed';
  const status = number(data['statusCode']);
  const known = classifyFailure(`${text(error['name'])} ${message}`, status >= 400 ? status : undefined);
  const code = networkOr(known, message);
  return { type: 'failed', message, ...(code === 'unknown' ? {} : { code }) };
}

export function networkOr(code: ErrorCode, message: string): ErrorCode {
  return code === 'unknown' && brokenConnection.test(message) ? 'network' : code;
}

// Seen: "Cannot connect to API: The socket connection was closed unexpectedly. For more information, …"
const brokenConnection = /cannot connect to api|socket connection was closed/i;
