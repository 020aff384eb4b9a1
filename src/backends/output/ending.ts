import {
  type ErrorCode,
  interruptedMessage,
  notice,
  type StepEvent,
  type StopReason,
} from '../../core/chat-event.js';

/** How the CLI itself says that the turn ended. */
export type Ending =
  | { readonly type: 'answered'; readonly stopReason: StopReason; readonly text?: string }
  | {
      readonly type: 'failed';
      readonly message: string;
      /** Where the CLI gives a machine-readable reason. */
      readonly code?: ErrorCode;
      /** The turn must not go on: end the process now. */
      readonly stop?: true;
    };

/** The ending of a turn that was stopped on request. */
export const interruptedEnding = {
  type: 'failed',
  code: 'interrupted',
  message: interruptedMessage,
} as const;

/** True for what `unknownLine` made. */
export function isUnknown(event: StepEvent): boolean {
  return event.type === 'notice' && event.message.endsWith(fromTheCli);
}

const fromTheCli = ' from the CLI';
const rawLimit = 256 * 1024;

/** What a decoder makes of a line that it does not know: never thrown, never dropped. */
export function unknownLine(what: string, raw: string): StepEvent {
  const kept = raw.length <= rawLimit ? raw : `${raw.slice(0, rawLimit)}… (${raw.length} characters)`;
  return notice('info', `${what}${fromTheCli}`, kept);
}
