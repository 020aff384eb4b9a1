import type { Retry } from '../../core/chat-event.js';
import { classifyFailure } from '../output/classify-failure.js';

/**
 * The retry that Codex announces, e.g. "Reconnecting... 2/5 (unexpected status 401 Unauthorized: …)" or, for ever, "Reconnecting...
 * waiting for network (Connection failed: …)". It does not tell how long it waits (0.166.0).
 */
export function readRetry(message: string, httpStatus?: number): Retry | undefined {
  const match = /^reconnecting\.\.\. *(?:(\d+)\/(\d+))?([\s\S]*)$/i.exec(message);
  if (match === null) return undefined;
  const [, attempt, of, rest = ''] = match;
  const reason = rest.trim().replace(/^\(([\s\S]*)\)$/, '$1');
  const status = httpStatus ?? statusIn(reason);
  const code = classifyFailure(reason, status);
  return {
    attempt: Number(attempt ?? 1),
    ...(of === undefined ? {} : { of: Number(of) }),
    ...(status === undefined ? {} : { status }),
    code: code === 'unknown' ? 'network' : code,
    reason: reason || 'no answer',
  };
}

function statusIn(reason: string): number | undefined {
  const status = /\bstatus:? (\d{3})\b/.exec(reason)?.[1];
  return status === undefined ? undefined : Number(status);
}
