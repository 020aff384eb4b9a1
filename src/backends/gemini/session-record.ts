import { join } from 'node:path';
import { namesIn, toolsInFiles } from '../record/read-records.js';
import type { Environment, RecordedTools, RecordQuery } from '../record/types.js';
import { parseChatFileName, readChatFile } from './chat-file.js';
import { plainShortId, projectsDirectory } from './chat-records.js';
import { geminiEntries } from './record-entries.js';

/** The tools of a turn by Gemini's chat file: `tmp/<project>/chats/session-….jsonl` in its home. */
export function recordedTools(query: RecordQuery, env: Environment): Promise<RecordedTools> {
  return toolsInFiles(query, {
    directory: projectsDirectory(env),
    ofSession: async (sessionId) => {
      const found: string[] = [];
      for (const { path, shortId } of await chats(env)) {
        if (plainShortId(shortId) !== sessionId.slice(0, 8)) continue;
        // A file whose id can't be read may be this session's.
        const id = (await readChatFile(path))?.sessionId;
        if (id === undefined || id === sessionId) found.push(path);
      }
      return found;
    },
    candidates: async () => (await chats(env)).map(({ path }) => path),
    entries: geminiEntries,
  });
}

/** All chat files of all projects. */
export async function chats(env: Environment): Promise<readonly { path: string; shortId: string }[]> {
  const projects = projectsDirectory(env);
  const found: { path: string; shortId: string }[] = [];
  for (const project of await namesIn(projects)) {
    const directory = join(projects, project, 'chats');
    for (const name of await namesIn(directory)) {
      const shortId = parseChatFileName(name)?.shortId;
      if (shortId !== undefined) found.push({ path: join(directory, name), shortId });
    }
  }
  return found;
}
