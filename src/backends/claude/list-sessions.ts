import { basename } from 'node:path';
import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { namesOf } from '../record/last-session.js';
import { findInHead, listFiles } from '../record/list-sessions.js';
import type { Environment, ListedSession } from '../record/types.js';
import { transcriptsOf } from './session-record.js';

/** The sessions of a directory, by Claude's transcripts (2.1.325). */
export async function listSessions(
  cwd: string,
  limit: number,
  env: Environment,
): Promise<readonly ListedSession[]> {
  const directories = await namesOf(cwd);
  return listFiles(await transcriptsOf(cwd, env), limit, async (path) => {
    const sessionId = basename(path, '.jsonl');
    // The transcripts of subagents have other names.
    if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(sessionId)) return undefined;
    const prompt = await findInHead(path, (lines) => promptIn(lines, directories));
    return prompt === undefined ? undefined : { sessionId, prompt };
  });
}

/** A directory's name stands for several directories, `a-b` and `a/b`: the prompt's own line has the right one. */
function promptIn(lines: readonly string[], directories: readonly string[]): string | undefined {
  for (const line of lines) {
    // Most lines are none of the user's, and some are megabytes long.
    if (!line.includes('"user"')) continue;
    const record = parseObject(line);
    if (record?.['type'] !== 'user' || !directories.includes(text(record['cwd']))) continue;
    const own = typedWords(record);
    if (own !== undefined) return own;
  }
  return undefined;
}

/** What a person has typed, in a record of the type `user`. */
export function typedWords(record: JsonObject): string | undefined {
  if (record['isMeta'] === true || record['isSidechain'] === true || record['isCompactSummary'] === true)
    return undefined;
  const { content } = object(record['message']);
  const words = typeof content === 'string' ? [content] : objects(content).map((part) => text(part['text']));
  return words.find((one) => one.trim() !== '' && !notTyped.test(one));
}

/** What Claude itself puts among the user's messages: its own commands with their output, the editor's files, reminders. */
const notTyped =
  /^\s*(?:<(?:command-|local-command-|bash-|ide_|system-reminder|task-notification|user-memory)|\[Request interrupted|Caveat: )/;
