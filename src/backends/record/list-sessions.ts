import { lstat } from 'node:fs/promises';
import { wordsBehindSeed } from '../../core/seeded-prompt.js';
import { isSessionId } from '../../core/session-id.js';
import { oneLine, proseLine } from '../../core/text.js';
import { readHead } from './last-session.js';
import type { ListedSession } from './types.js';

/** What a file tells of its session: without a prompt of the user there is nothing to go on with. */
export interface FoundSession {
  readonly sessionId: string;
  readonly prompt: string;
  /** Where the file's own time does not tell it. */
  readonly usedAt?: number | undefined;
}

/** So many files are looked into for the sessions of a directory, the newest first: Codex keeps those of all together. */
const mostFiles = 500;

/** Before the first prompt there are the CLI's instructions and its list of tools. A longer beginning is left out. */
const headSizes = [256 * 1024, 8 * 1024 * 1024];

const maxTitle = 80;

/**
 * The sessions in these files, the last used one first. A link, a pipe, a directory, a damaged file or one that is going away
 * has none.
 */
export async function listFiles(
  paths: readonly string[],
  limit: number,
  sessionIn: (path: string) => Promise<FoundSession | undefined>,
): Promise<readonly ListedSession[]> {
  const found = new Map<string, ListedSession>();
  for (const { path, writtenAt } of (await newestFiles(paths)).slice(0, mostFiles)) {
    if (found.size >= limit) break;
    const session = await sessionIn(path).catch(() => undefined);
    if (session === undefined || found.has(session.sessionId)) continue;
    const { sessionId, usedAt = writtenAt } = session;
    const title = titleOf(session.prompt);
    if (isSessionId(sessionId) && title !== '') found.set(sessionId, { sessionId, title, updatedAt: usedAt });
  }
  return [...found.values()].sort((one, other) => other.updatedAt - one.updatedAt);
}

/** The first lines of a file, at least so many that `read` finds something in them, if it ever does. */
export async function findInHead<T>(
  path: string,
  read: (lines: readonly string[]) => T | undefined,
): Promise<T | undefined> {
  let found: T | undefined;
  const lines = await readHead(
    path,
    (whole) => {
      found = read(whole);
      return found !== undefined;
    },
    headSizes,
  );
  return found ?? read(lines);
}

/** A conversation that was handed over stands in front of the user's own words. */
export function titleOf(prompt: string): string {
  return oneLine(proseLine(wordsBehindSeed(prompt)), maxTitle);
}

async function newestFiles(
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly writtenAt: number }[]> {
  const looks = paths.map(async (path) => {
    const facts = await lstat(path).catch(() => undefined);
    return facts?.isFile() ? [{ path, writtenAt: facts.mtimeMs }] : [];
  });
  return (await Promise.all(looks)).flat().sort((one, other) => other.writtenAt - one.writtenAt);
}
