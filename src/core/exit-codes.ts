import type { ErrorCode } from './chat-event.js';

/** The exit codes of every command, and of a runner's results. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  unsupported: 4,
  timedOut: 124,
  interrupted: 130,
} as const;

export function exitCodeFor(code: ErrorCode): number {
  switch (code) {
    case 'not_installed':
      return exitCodes.unavailable;
    case 'unsupported':
      return exitCodes.unsupported;
    case 'timeout':
      return exitCodes.timedOut;
    case 'interrupted':
      return exitCodes.interrupted;
    default:
      return exitCodes.failed;
  }
}
