import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { namesOf } from '../record/last-session.js';
import { type FoundSession, findInHead, listFiles } from '../record/list-sessions.js';
import type { Environment, ListedSession } from '../record/types.js';
import { rollouts } from './session-record.js';

/** The threads of a directory, by Codex's rollouts (0.166). */
export async function listSessions(
  cwd: string,
  limit: number,
  env: Environment,
): Promise<readonly ListedSession[]> {
  const directories = await namesOf(cwd);
  return listFiles(await rollouts(env), limit, async (path) => {
    const found = await findInHead(path, (lines) => sessionIn(lines, directories));
    return found === 'elsewhere' ? undefined : found;
  });
}

function sessionIn(
  lines: readonly string[],
  directories: readonly string[],
): FoundSession | 'elsewhere' | undefined {
  const [first, ...rest] = lines;
  const meta = first === undefined ? undefined : parseObject(first);
  if (meta === undefined) return undefined;
  const { cwd, id, source } = object(meta['payload']);
  // The thread of a subagent names its parent there.
  if (typeof source === 'object' || !directories.includes(text(cwd))) return 'elsewhere';
  for (const line of rest) {
    const prompt = line.includes('"user') || line.includes('"User') ? promptIn(parseObject(line)) : undefined;
    if (prompt !== undefined) return { sessionId: text(id), prompt };
  }
  return undefined;
}

/** What a person has typed, if the record holds that. */
export function promptIn(record: JsonObject | undefined): string | undefined {
  const payload = object(record?.['payload']);
  // Older versions wrote down what the user has typed beside what the model got.
  if (payload['type'] === 'user_message') return text(payload['message']) || undefined;
  if (payload['type'] !== 'message' || payload['role'] !== 'user') return undefined;
  const kinds = object(payload['internal_chat_message_metadata_passthrough'])['content_item_kinds'];
  const parts = objects(payload['content']).filter((part, index) =>
    Array.isArray(kinds) ? text(kinds[index]).startsWith('user.') : !isContext.test(text(part['text'])),
  );
  return parts.map((part) => text(part['text'])).find((words) => words.trim() !== '');
}

/** `<environment_context>`, `<user_instructions>` and the like, where the record does not tell them apart. */
const isContext = /^\s*(?:<[a-z_]+>|# AGENTS\.md instructions)/;
