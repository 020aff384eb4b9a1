import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type DirectoryLock, HeldError, lockDirectory } from '../../../store/instance-lock.js';
import type { FinalProblem } from './explain-closing.js';

/** All gateways of a user share it, whatever their homes are. */
export function lockDirectoryOf(env: Readonly<Record<string, string | undefined>>): string {
  // Not XDG_STATE_HOME: a shell may have it, and a service not.
  return join(env['HOME'] || homedir(), '.local', 'state', 'turnout', 'discord');
}

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
