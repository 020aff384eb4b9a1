import { createHash } from 'node:crypto';
import { parseObject } from '../output/json.js';
import { text } from '../output/read-fields.js';
import { namesOf } from '../record/last-session.js';
import { type FoundSession, findInHead, listFiles } from '../record/list-sessions.js';
import type { Environment, ListedSession } from '../record/types.js';
import { lastUpdated } from './last-session.js';
import { geminiEntries } from './record-entries.js';
import { chats } from './session-record.js';

/** The sessions of a directory, by Gemini's chat files (0.61.0). */
export async function listSessions(
  cwd: string,
  limit: number,
  env: Environment,
): Promise<readonly ListedSession[]> {
  const hashes = (await namesOf(cwd)).map((name) => createHash('sha256').update(name).digest('hex'));
  const paths = (await chats(env)).map(({ path }) => path);
  return listFiles(paths, limit, async (path) => {
    const found = await findInHead(path, (lines) => sessionIn(lines, hashes));
    if (found === undefined || found === 'elsewhere') return undefined;
    return { ...found, usedAt: await lastUpdated(path) };
  });
}

function sessionIn(
  lines: readonly string[],
  hashes: readonly string[],
): FoundSession | 'elsewhere' | undefined {
  // Older versions wrote one document over many lines.
  const first = parseObject(lines[0] ?? '') ?? parseObject(lines.join('\n'));
  if (first === undefined) return undefined;
  if (first['kind'] === 'subagent' || !hashes.includes(text(first['projectHash']))) return 'elsewhere';
  const prompts = geminiEntries(lines).flatMap((entry) =>
    entry.type === 'prompt' ? [ownWords(entry.text)] : [],
  );
  const prompt = prompts.find((words) => words !== '');
  return prompt === undefined ? undefined : { sessionId: text(first['sessionId']), prompt };
}

/** Gemini's own first message is its context; Turnout's system prompt is in front of the user's first one. */
export function ownWords(prompt: string): string {
  return prompt
    .replace(/^\s*<session_context>[\s\S]*?<\/session_context>/, '')
    .replace(/^\s*<instructions>[\s\S]*?<\/instructions>/, '')
    .trim();
}
