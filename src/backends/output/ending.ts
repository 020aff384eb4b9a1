import {
  type ErrorCode,
  interruptedMessage,
  notice,
  type StepEvent,
  type StopReason,
} from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';

/** The end of a turn as the CLI itself reports it. */
export type Ending =
  | { readonly type: 'answered'; readonly stopReason: StopReason; readonly text?: string }
  | {
      readonly type: 'failed';
      readonly message: string;
      /** The error code, if the CLI gives a machine-readable reason. */
      readonly code?: ErrorCode;
      /** The time to wait before the API wants to be asked again, if it was told. */
      readonly retryAfterMs?: number | undefined;
      /** The time at which a limit ends, in ms since 1970, if it was told. */
      readonly retryAt?: number | undefined;
    };

/** The ending of a turn that was stopped on request. */
export const interruptedEnding = {
  type: 'failed',
  code: 'interrupted',
  message: interruptedMessage,
} as const;

/** The ending of a turn that an error has stopped. */
export function failedEnding(error: unknown): Ending & { readonly type: 'failed'; readonly code: ErrorCode } {
  if (error instanceof TurnoutError) return { type: 'failed', code: error.code, message: error.message };
  return { type: 'failed', code: 'unknown', message: String(error) };
}

/** True for an event of `unknownLine`. */
export function isUnknown(event: StepEvent): boolean {
  return event.type === 'notice' && event.message.endsWith(fromTheCli);
}

const fromTheCli = ' from the CLI';
const rawLimit = 256 * 1024;

/** Makes a notice of a line that the decoder does not know: such a line is never thrown, never dropped. */
export function unknownLine(what: string, raw: string): StepEvent {
  const kept = raw.length <= rawLimit ? raw : `${raw.slice(0, rawLimit)}… (${raw.length} characters)`;
  return notice('info', `${what}${fromTheCli}`, kept);
}
