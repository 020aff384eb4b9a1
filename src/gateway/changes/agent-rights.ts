import { spawnSync } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import type { ProcessUser } from '../../process/process-user.js';
import { absolute, type BytePath } from '../../process/work-tree/byte-path.js';
import { blobName, contentOf, plainly } from './read-file.js';

/**
 * Tells which of these files the agent's user may read, and git's names for what they hold. Root opens one folder after the other, none
 * through a link, and asks the open file itself whose it is: whatever the agent swaps meanwhile, no other file is taken for it.
 */
export async function readableContents(
  cwd: string,
  paths: readonly BytePath[],
  user: ProcessUser,
): Promise<ReadonlyMap<BytePath, string>> {
  const names = new Map<string, BytePath[]>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const others = names.get(folder) ?? [];
    names.set(folder, others);
    others.push(path.slice(folder.length));
  }
  const reader = { uid: user.uid, gids: groupsOf(user) };
  const found = new Map<BytePath, string>();
  for (const [folder, files] of names) {
    const handle = await openFolder(cwd, folder, reader).catch(() => undefined);
    if (handle === undefined) continue;
    try {
      for (let from = 0; from < files.length; from += atOnce) {
        const read = async (name: BytePath) => {
          const content = await readAs(reader, inside(handle, name)).catch(() => undefined);
          if (content !== undefined) found.set(`${folder}${name}`, blobName(content));
        };
        await Promise.all(files.slice(from, from + atOnce).map(read));
      }
    } finally {
      await handle.close();
    }
  }
  return found;
}

const atOnce = 16;

interface Reader {
  readonly uid: number;
  readonly gids: readonly number[];
}

/** Undefined if the reader may not enter it. */
async function openFolder(cwd: string, folder: BytePath, reader: Reader): Promise<FileHandle | undefined> {
  let handle = await open(cwd, asFolder);
  try {
    if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== cwd) throw new Error('Another folder is there.');
    for (const part of folder.split('/').slice(0, -1)) {
      const next = await open(inside(handle, part), asFolder);
      await handle.close();
      handle = next;
      if (!may(reader, await handle.stat(), 1)) throw new Error('It is closed to the reader.');
    }
    return handle;
  } catch {
    await handle.close();
    return undefined;
  }
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux resolves such a path from the open folder, wherever that is by now. */
function inside(folder: FileHandle, name: BytePath): Buffer {
  return absolute(`/proc/self/fd/${folder.fd}`, name);
}

/** A link holds its target. */
async function readAs(reader: Reader, path: Buffer): Promise<Buffer | undefined> {
  const handle = await open(path, plainly).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') return undefined;
    throw error;
  });
  if (handle === undefined) return readlink(path, { encoding: 'buffer' });
  try {
    return may(reader, await handle.stat(), 4) ? await contentOf(handle) : undefined;
  } finally {
    await handle.close();
  }
}

/** An owner may give itself any right. */
function may({ uid, gids }: Reader, facts: Stats, right: 1 | 4): boolean {
  if (facts.uid === uid) return true;
  return (facts.mode & (gids.includes(facts.gid) ? right << 3 : right)) !== 0;
}

function groupsOf({ name, gid }: ProcessUser): readonly number[] {
  const { stdout } = spawnSync('/usr/bin/id', ['-G', '--', name], { encoding: 'utf8', env: { LC_ALL: 'C' } });
  const found = (stdout ?? '').split(/\s+/).filter((text) => /^\d+$/.test(text));
  return [gid, ...found.map(Number)];
}
