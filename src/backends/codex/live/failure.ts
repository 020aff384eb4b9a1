import { type ErrorCode, notice, type StepEvent } from '../../../core/chat-event.js';
import { classifyFailure } from '../../output/classify-failure.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { readRetry } from '../retries.js';

export interface Failure {
  readonly type: 'failed';
  readonly message: string;
  readonly code: ErrorCode;
  readonly retryAt?: number | undefined;
}

/**
 * The failure in a `TurnError`, the one place where Codex gives a machine-readable reason. `resetsAt` is in seconds since
 * 1970, where it is known.
 */
export function turnFailure(error: JsonObject, resetsAt?: number): Failure {
  const message = text(error['message']) || 'the turn failed';
  const code = failureCode(message, error['codexErrorInfo']);
  if (code !== 'rate_limit' || resetsAt === undefined) return { type: 'failed', code, message };
  const until = /try again/i.test(message)
    ? ''
    : ` (the limit resets at ${new Date(resetsAt * 1000).toISOString()})`;
  return { type: 'failed', code, message: `${message}${until}`, retryAt: resetsAt * 1000 };
}

/** The message of a retry only counts the attempts; the reason stands beside it. */
export function retryEvent(error: JsonObject, raw: string): StepEvent {
  const details = text(error['additionalDetails']);
  const message = text(error['message']) || 'Codex tries again';
  const whole = details === '' ? message : `${message} (${details})`;
  const facts = Object.values(object(error['codexErrorInfo']))[0];
  const status = object(facts)['httpStatusCode'];
  const retry = readRetry(whole, typeof status === 'number' ? status : undefined);
  const event = notice('warning', whole, raw);
  return retry === undefined ? event : { ...event, retry };
}

const byName: Readonly<Record<string, ErrorCode>> = {
  unauthorized: 'auth',
  usageLimitExceeded: 'rate_limit',
  rateLimitExceeded: 'rate_limit',
  sessionBudgetExceeded: 'rate_limit',
  serverOverloaded: 'overloaded',
  internalServerError: 'overloaded',
  flexUnavailable: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  badRequest: 'bad_request',
  modelNotFound: 'bad_request',
  contextWindowExceeded: 'bad_request',
  cyberPolicy: 'bad_request',
  misalignmentPolicyViolation: 'bad_request',
};

const connectionTroubles = new Set([
  'httpConnectionFailed',
  'responseStreamConnectionFailed',
  'responseStreamDisconnected',
]);

function failureCode(message: string, info: unknown): ErrorCode {
  const known = typeof info === 'string' && Object.hasOwn(byName, info) ? byName[info] : undefined;
  if (known !== undefined) return known;
  const [name, facts] = Object.entries(object(info))[0] ?? [];
  const status = object(facts)['httpStatusCode'];
  const code = classifyFailure(message, typeof status === 'number' ? status : undefined);
  return code === 'unknown' && name !== undefined && connectionTroubles.has(name) ? 'network' : code;
}
