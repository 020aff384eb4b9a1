import { createHash } from 'node:crypto';
import { type DirectoryLock, HeldError, lockDirectory } from '../../../store/instance-lock.js';
import type { FinalProblem } from './explain-closing.js';

/**
 * Two processes with one token would both answer every message. The lock is the operating system's, so it ends with its
 * process. The token itself is not written anywhere.
 */
export async function lockToken(directory: string, token: string): Promise<DirectoryLock> {
  return lockDirectory(directory, `bot-${createHash('sha256').update(token).digest('hex').slice(0, 16)}`);
}

/** Undefined if it is not about another process. */
export function explainHeld(error: unknown): FinalProblem | undefined {
  if (!(error instanceof HeldError)) return undefined;
  const who = error.pid === undefined ? 'Another gateway' : `Another gateway (process ${error.pid})`;
  return {
    code: 0,
    message: `${who} of this machine is connected with the same DISCORD_BOT_TOKEN.`,
    hint: 'Stop it, or give this gateway a bot of its own.',
  };
}
