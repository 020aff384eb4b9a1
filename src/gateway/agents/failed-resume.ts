import { type ChatEvent, type ErrorCode, type ErrorEvent, isTerminal } from '../../core/chat-event.js';
import { tellsOfKill } from '../../process/start-process.js';

/** What is known about an attempt that went on with a stored session. */
export interface ResumedAttempt {
  /** True if the CLI had to load the session from its own record; false for a process that had it open. */
  readonly resumed: boolean;
  /** True if anything of the model was heard: the CLI could load the session. */
  readonly modelHeard: boolean;
}

/**
 * What an attempt says about the session that it went on with:
 * - `lost`: the CLI says, in its own words, that it does not know the session or can't read it.
 * - `suspect`: it failed before the model was heard, over nothing that is known to have another cause. Damaged records look
 *   like this (measured): a crash, an error without a known reason, an empty answer, a history that the model refuses.
 * - `hung`: its time was up before the model was heard. A damaged record can do that, and so can a network that is away.
 * - `fine`: anything else. A limit, a rejected key, the network, a stop, a CLI that is not there or was killed, and a machine
 *   that has run out of something say nothing about the session.
 */
export function judgeSession(
  { resumed, modelHeard }: ResumedAttempt,
  ending: ErrorEvent,
): 'lost' | 'suspect' | 'hung' | 'fine' {
  if (ending.shortage || shortage.test(ending.message)) return 'fine';
  if (ending.code === 'session_not_found') return 'lost';
  if (!resumed || modelHeard) return 'fine';
  if (tellsOfKill(ending.message)) return 'fine';
  if (ending.code === 'timeout') return 'hung';
  return suspectCodes.has(ending.code) ? 'suspect' : 'fine';
}

/** A record that can't be opened for want of something is not damaged. The words are Node's and Rust's. */
const shortage =
  /\b(EMFILE|ENFILE|ENOSPC|EDQUOT|ENOMEM|EIO)\b|too many open files|no space left|quota exceeded|cannot allocate memory|out of memory|input\/output error/i;

const suspectCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'crashed',
  'unknown',
  'parse',
  'bad_request',
]);

/** True for an event that the model's answer has caused. Claude tells of a usage of 0 when it could not resume. */
export function isFromModel(event: ChatEvent): boolean {
  if (event.type === 'usage') return event.inputTokens + event.outputTokens > 0;
  if (isTerminal(event)) return event.type === 'complete';
  return event.type !== 'session' && event.type !== 'notice';
}

const longestReason = 300;

/** Tells the channel that its earlier session is lost. */
export function lostSessionNotice(backend: string, reason: string): string {
  const [first = ''] = reason.trim().split('\n');
  const short = first.length > longestReason ? `${first.slice(0, longestReason)}…` : first;
  return `The session with ${backend} could not be resumed (${short})\nThe conversation goes on in a new one, which is given its last messages from the archive.`;
}
