import { realpath, stat } from 'node:fs/promises';
import { isSessionId } from '../../core/session-id.js';
import { openRecord } from './open-record.js';

/**
 * What a file that holds one session begins with fits into the first of these mostly: Codex writes its instructions into the
 * first line. The second one has room for the longest first message (Claude Code takes 10 MB).
 */
const steps = [1024 * 1024, 32 * 1024 * 1024];

/**
 * The first session, in the order of their last use, that `sessionIn` finds in its file. A file that can't be read has none.
 * It was used when it was written, unless `usedAt` knows better.
 */
export async function lastUsed(
  paths: readonly string[],
  sessionIn: (path: string) => Promise<string | undefined>,
  usedAt: (path: string) => Promise<number | undefined> = async () => undefined,
): Promise<string | undefined> {
  const looks = paths.map(async (path) => {
    const told = await usedAt(path).catch(unreadable);
    return { path, at: told ?? (await stat(path).catch(() => undefined))?.mtimeMs };
  });
  const files = (await Promise.all(looks)).sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
  for (const { path } of files) {
    const session = await sessionIn(path).catch(unreadable);
    if (session !== undefined && isSessionId(session)) return session;
  }
  return undefined;
}

/** The first whole lines of a file: at least so many that they are `enough`, if it has them. */
export async function readHead(
  path: string,
  enough: (lines: readonly string[]) => boolean,
  sizes: readonly number[] = steps,
): Promise<readonly string[]> {
  const file = await openRecord(path);
  try {
    const { size } = await file.stat();
    let lines: readonly string[] = [];
    for (const step of sizes) {
      const length = Math.min(size, step);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      if (size <= step) return lines;
      // The last one is cut.
      lines = lines.slice(0, -1);
      if (enough(lines)) return lines;
    }
    return lines;
  } finally {
    await file.close();
  }
}

/** The last whole lines of a file, as many as fit into the bytes. */
export async function readTail(path: string, bytes: number): Promise<readonly string[]> {
  const file = await openRecord(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first one is cut.
    return from === 0 ? lines : lines.slice(1);
  } finally {
    await file.close();
  }
}

/** A link, a directory, a file of somebody else's: the other sessions are there nevertheless. */
function unreadable(error: NodeJS.ErrnoException): undefined {
  if (error.code === undefined) throw error;
  return undefined;
}

/** The names of a directory under which a CLI may know it: as it was given, and its real path. */
export async function namesOf(cwd: string): Promise<readonly string[]> {
  return [cwd, await realpath(cwd).catch(() => cwd)];
}
