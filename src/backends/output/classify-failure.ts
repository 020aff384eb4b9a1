import type { ErrorCode } from '../../core/chat-event.js';
import { isOutOfCredit } from './advice.js';

/**
 * Finds the error code from an HTTP status if the CLI gives one, else from the words that it prints. Only the CLIs' own
 * words for a session that is not there, at the beginning of a line, say `session_not_found`: an API, a proxy and an MCP
 * server have sessions too.
 */
export function classifyFailure(text: string, httpStatus?: number): ErrorCode {
  const told = httpStatus === undefined ? undefined : fromStatus(httpStatus, text);
  if (told !== undefined) return told;
  if (text.split('\n').some(isSessionMissing)) return 'session_not_found';
  const status = statusIn(text);
  const code = status === undefined ? undefined : fromStatus(status, text);
  return code ?? wordings.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}

/** True for a line in a CLI's own words, unless the same line tells of an HTTP status or of the network. */
function isSessionMissing(line: string): boolean {
  return sessionMissing.test(line) && statusIn(line) === undefined && !networkTrouble.test(line);
}

function fromStatus(status: number, text: string): ErrorCode | undefined {
  if (status === 402 || (status < 500 && isOutOfCredit(text))) return 'rate_limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limit';
  if (status === 408 || status === 504) return 'network';
  if (status >= 500) return 'overloaded';
  if (status >= 400)
    return /api[ _-]?key[^.]{0,40}(invalid|not valid|expired)/i.test(text) ? 'auth' : 'bad_request';
  return undefined;
}

/** What may stand in front of a message: R8.2's words, and the CLI's own. */
const introduced = '^(?:[\\w ]{1,40} CLI error \\([^()]{1,40}\\): )?(?:Error: )?';

/** The words of one CLI alone: another line of the same output does not change what they say. */
const sessionMissing = new RegExp(
  `${introduced}(?:${[
    // Claude; the last is of a record that can't be read.
    'No conversation found with session ID\\b',
    '--resume requires a valid session ID\\b',
    'Failed to resume session: ',
    // Codex, one-shot with its method in front; the last is of a damaged record.
    '(?:thread/resume: )?(?:thread/resume failed: )?(?:no rollout found for thread id |invalid (?:session|thread) id: |failed to read thread: )',
    // Gemini.
    '(?:Error resuming session: )?(?:Invalid session identifier "|No previous sessions found for this project)',
  ].join('|')})`,
  'i',
);

/** OpenCode's "Session not found" and Codex's "thread not found" could be anybody's: anything else that is known wins. */
const sessionMissingSomewhere = new RegExp(
  `${introduced}(?:\\w{0,40}Error)? ?(?:session|thread) not found(?:: \\S{1,200})?\\.?\\s*$`,
  'im',
);

/** A number counts as a status code only if the words around it say so, or if it opens the message as the APIs' SDKs do. */
function statusIn(text: string): number | undefined {
  const match =
    opening.exec(text) ??
    /(?:\bstatus(?: code)?[:= ]+|\bAPI Error:? (?:\()?|\bHTTP[ /\d.]*\s|rejected \(|"code":\s*|"status":\s*)([45]\d\d)\b/i.exec(
      text,
    );
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

const opening = /^(?:[\w ]{1,40} CLI error \([^()]{1,40}\): )?(?:Error: )?([45]\d\d) (?=[A-Z{"])/;

const networkTrouble =
  /econnrefused|econnreset|connectionrefused|enotfound|etimedout|eai_again|unable to connect|connection (failed|refused|error)|fetch failed|stream disconnected|socket hang up|other side closed|und_err_socket|network error|api error: terminated|^terminated$/im;

const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  // Codex's "stream disconnected before completion: Incomplete response returned, reason: content_filter" is
  // no network trouble.
  [/incomplete response returned, reason/i, 'bad_request'],
  [
    /authenticat|unauthorized|not logged in|please run \/login|(invalid|incorrect) (x-)?api[ -]?key|api key is (missing|invalid)|api key not valid|missing environment variable|invalid auth method|\bcodex login\b|credentials?\b.{0,80}(missing|not found|expired)|set an auth/i,
    'auth',
  ],
  [
    /rate.?limit|too many requests|usage limit|quota|resource_exhausted|credit balance is too low|insufficient (credits?|balance|funds)|payment required/i,
    'rate_limit',
  ],
  [
    /overloaded|high demand|at capacity|capacity (is )?unavailable|service unavailable|internal server error|server_error/i,
    'overloaded',
  ],
  [networkTrouble, 'network'],
  [
    /invalid_request_error|modelnotfound|^invalid (value|parameter|type)\b|unsupported (value|parameter)|unknown option|unexpected argument|invalid argument|too large|too long|exceeds|maximum length|ran out of room|output token maximum|model.{0,40}not (found|exist)|not a trusted directory|not running in a trusted|cannot be used with root/im,
    'bad_request',
  ],
  [sessionMissingSomewhere, 'session_not_found'],
];
