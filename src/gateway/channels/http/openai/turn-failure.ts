import type { ChatEvent, ErrorCode } from '../../../../core/chat-event.js';
import { hasEnded, type StoredEvent } from '../../../../store/rows.js';
import { OpenAiProblem, type OpenAiStatus } from './open-ai-problem.js';
import { responseId } from './response-id.js';

const statuses: Readonly<Record<ErrorCode, OpenAiStatus>> = {
  bad_request: 400,
  unsupported: 400,
  interrupted: 409,
  rate_limit: 429,
  unknown: 500,
  not_installed: 502,
  auth: 502,
  session_not_found: 502,
  network: 502,
  crashed: 502,
  parse: 502,
  overloaded: 503,
  timeout: 504,
};

const codes: Readonly<Partial<Record<ErrorCode, string>>> = { rate_limit: 'rate_limit_exceeded' };

/** The reason why an event has no answer; undefined if it has one. `events` are those of its last turn. */
export function turnFailure(event: StoredEvent, events: readonly ChatEvent[]): OpenAiProblem | undefined {
  if (event.state === 'answered') return undefined;
  if (!hasEnded(event)) return goesOn(event);
  const { code, message } = event.error ?? { code: 'unknown', message: 'The turn ended without an answer.' };
  const retryAfter = retryAfterSeconds(event, events);
  return new OpenAiProblem(statuses[code], message, {
    code: codes[code] ?? code,
    headers: {
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      // OpenAI's clients try most failures again by themselves. The gateway has done so already where that was safe, and
      // tools may have run: only a message that was never taken may come again.
      'X-Should-Retry': String(wasNotTaken(event)),
    },
  });
}

/** The gateway stops, and the request with it: the message is on disk, and the next start goes on with it. */
function goesOn(event: StoredEvent): OpenAiProblem {
  const where = `GET /v1/responses/${responseId(event.id)}`;
  return new OpenAiProblem(
    503,
    `The gateway is stopping. The message is kept, and goes on when it starts again: ${where} has the answer then.`,
    { code: 'unavailable', headers: { 'X-Should-Retry': 'false' } },
  );
}

function wasNotTaken({ state, error }: StoredEvent): boolean {
  return state === 'refused' && error?.code === 'overloaded';
}

function retryAfterSeconds(event: StoredEvent, events: readonly ChatEvent[]): number | undefined {
  if (wasNotTaken(event)) return 5;
  const told = events.findLast((one) => one.type === 'error')?.retryAfterMs;
  return told === undefined || !(told > 0) ? undefined : Math.ceil(told / 1000);
}
