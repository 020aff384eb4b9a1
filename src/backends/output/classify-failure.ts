import type { ErrorCode } from '../../core/chat-event.js';

/** Finds the error code from an HTTP status if the CLI gives one, else from the words that it prints. */
export function classifyFailure(text: string, httpStatus?: number): ErrorCode {
  const session = sessionMissing.test(text);
  if (session) return 'session_not_found';
  const status = httpStatus ?? statusIn(text);
  if (status !== undefined) {
    const code = fromStatus(status, text);
    if (code !== undefined) return code;
  }
  return wordings.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}

function fromStatus(status: number, text: string): ErrorCode | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limit';
  if (status === 408 || status === 504) return 'network';
  if (status >= 500) return 'overloaded';
  if (status >= 400)
    return /api[ _-]?key[^.]{0,40}(invalid|not valid|expired)/i.test(text) ? 'auth' : 'bad_request';
  return undefined;
}

// Wordings seen: claude "No conversation found with session ID", "--resume requires a valid session ID or
// session title"; codex "no rollout found for thread id", "invalid session id"; gemini "Invalid session
// identifier", "No previous sessions found for this project"; opencode "Session not found".
const sessionMissing =
  /no conversation found with session|requires a valid session id|no rollout found for thread|invalid session (id|identifier)|no previous sessions found|session not found|thread not found/i;

/** A number counts as a status code only if the words around it say so. */
function statusIn(text: string): number | undefined {
  const match =
    /(?:\bstatus(?: code)?[:= ]+|\bAPI Error:? (?:\()?|\bHTTP[ /\d.]*\s|rejected \(|"code":\s*|"status":\s*)([45]\d\d)\b/i.exec(
      text,
    );
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  // Codex's "stream disconnected before completion: Incomplete response returned, reason: content_filter" is
  // no network trouble.
  [/incomplete response returned, reason/i, 'bad_request'],
  [
    /authenticat|unauthorized|not logged in|please run \/login|invalid (x-)?api[ -]?key|api key not valid|missing environment variable|invalid auth method|\bcodex login\b|credentials?\b.*(missing|not found|expired)|set an auth/i,
    'auth',
  ],
  [/rate.?limit|too many requests|usage limit|quota|resource_exhausted/i, 'rate_limit'],
  [
    /overloaded|high demand|at capacity|capacity (is )?unavailable|service unavailable|internal server error|server_error/i,
    'overloaded',
  ],
  [
    /econnrefused|econnreset|connectionrefused|enotfound|etimedout|eai_again|unable to connect|connection (failed|refused|error)|fetch failed|stream disconnected|socket hang up|network error|api error: terminated|^terminated$/im,
    'network',
  ],
  [
    /invalid_request_error|unknown option|unexpected argument|invalid argument|too large|too long|exceeds|maximum length|ran out of room|output token maximum|model.{0,40}not (found|exist)|not a trusted directory|not running in a trusted|cannot be used with root/i,
    'bad_request',
  ],
];
