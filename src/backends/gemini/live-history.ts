import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TurnoutError } from '../../core/errors.js';

/**
 * Keeps a conversation from being lost while it is loaded. Gemini 0.61.0 begins a new record for the session before it
 * reads the old one, in a file that is named by the minute and the first eight characters of the id: in the minute in
 * which the session was made that is the same file, and the conversation is gone. Under the name of an earlier minute
 * it is found as well, since Gemini looks into the files for the id.
 */
export async function keepHistory(
  sessionId: string,
  env: Readonly<Record<string, string>>,
  now: Date = new Date(),
): Promise<void> {
  const projects = join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir(), '.gemini', 'tmp');
  for (const project of await readdir(projects).catch(() => [])) {
    const chats = join(projects, project, 'chats');
    const file = (minutesAgo: number) =>
      join(chats, fileName(sessionId, now.getTime() - minutesAgo * 60_000));
    if (!existsSync(file(0))) continue;
    let minutesAgo = 1;
    while (existsSync(file(minutesAgo))) minutesAgo += 1;
    await rename(file(0), file(minutesAgo)).catch((cause: unknown) => {
      throw new TurnoutError(
        'crashed',
        `The record of the session ${sessionId} could not be kept: ${String(cause)}`,
        {
          hint: 'Try again in a minute.',
          cause,
        },
      );
    });
  }
}

function fileName(sessionId: string, time: number): string {
  const minute = new Date(time).toISOString().slice(0, 16).replaceAll(':', '-');
  return `session-${minute}-${sessionId.slice(0, 8)}.jsonl`;
}
