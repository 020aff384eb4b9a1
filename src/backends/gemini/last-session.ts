import { createHash } from 'node:crypto';
import { lastUsed, namesOf } from '../record/last-session.js';
import type { Environment } from '../record/types.js';
import { readChatFile } from './chat-file.js';
import { chats } from './session-record.js';

/**
 * The session that was used last in a directory, by Gemini's chat files. `gemini --resume latest` (0.61.0) takes the one
 * that was begun last instead.
 */
export async function lastSession(cwd: string, env: Environment): Promise<string | undefined> {
  const hashes = (await namesOf(cwd)).map((name) => createHash('sha256').update(name).digest('hex'));
  const paths = (await chats(env)).map(({ path }) => path);
  return lastUsed(paths, async (path) => {
    const chat = await readChatFile(path);
    if (chat?.holds !== 'conversation' || chat.kind === 'subagent') return undefined;
    return hashes.includes(chat.projectHash) ? chat.sessionId : undefined;
  });
}
