import { createHash } from 'node:crypto';
import { parseObject } from '../output/json.js';
import { object, text } from '../output/read-fields.js';
import { lastUsed, namesOf, readTail } from '../record/last-session.js';
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
  return lastUsed(
    paths,
    async (path) => {
      const chat = await readChatFile(path);
      if (chat?.holds !== 'conversation' || chat.kind === 'subagent') return undefined;
      return hashes.includes(chat.projectHash) ? chat.sessionId : undefined;
    },
    lastUpdated,
  );
}

/** After each message there is a line with the time, so the last one is near the end. */
const tailBytes = 64 * 1024;

/** The file's own time tells nothing: a terminal UI writes a summary of the session before into that one's file (0.61.0). */
export async function lastUpdated(path: string): Promise<number | undefined> {
  const records = (await readTail(path, tailBytes)).map(parseObject).reverse();
  for (const record of records) {
    const at = Date.parse(text(object(record?.['$set'])['lastUpdated']) || text(record?.['lastUpdated']));
    if (!Number.isNaN(at)) return at;
  }
  return undefined;
}
