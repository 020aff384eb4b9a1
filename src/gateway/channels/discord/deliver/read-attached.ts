import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { megabytes } from './megabytes.js';

/** Discord takes 10 MB a message from a bot, the text and the form around the files included. */
export const maxAttachedBytes = 9 * 1024 * 1024;

export interface AttachPlace {
  /** The directory in which the agent works. */
  readonly workTree: string;
  /** Directories of the gateway: nothing in them goes out, also where they are inside the work tree. */
  readonly closed: readonly string[];
}

/** A sentence about a file that is not sent. */
export class NotAttached extends Error {}

/**
 * Reads a file that an answer names. The answer may be written by anybody whose text the agent has read: only files inside the
 * work tree go out, no hidden ones, and no links lead out of it, also none that is made while we look.
 */
export async function readAttached(path: string, place: AttachPlace, room: number): Promise<Uint8Array> {
  try {
    const root = await realpath(place.workTree);
    const real = await realpath(resolve(root, path));
    await check(real, root, place.closed);
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      await checkOpened(file, real);
      return await readUpTo(file, room);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof NotAttached) throw error;
    throw new NotAttached('it could not be read');
  }
}

async function check(real: string, root: string, closed: readonly string[]): Promise<void> {
  const inside = within(root, real);
  if (inside === undefined) throw new NotAttached('it is outside of the working directory');
  if (inside.split(sep).some((name) => name.startsWith('.'))) throw new NotAttached('it is hidden');
  for (const directory of closed) {
    const there = await realpath(directory).catch(() => resolve(directory));
    // A work tree may be in such a directory itself.
    if (within(there, real) !== undefined && within(there, root) === undefined)
      throw new NotAttached('it belongs to the gateway');
  }
}

/** The file that was opened is still the one at the checked path: no directory on the way has become a link. */
async function checkOpened(file: FileHandle, real: string): Promise<void> {
  const opened = await file.stat();
  if (!opened.isFile()) throw new NotAttached('it is not a file');
  // A second name may be of a file outside.
  if (opened.nlink > 1) throw new NotAttached('it has more than one name');
  const now = await lstat(real);
  if ((await realpath(real)) !== real || now.ino !== opened.ino || now.dev !== opened.dev)
    throw new NotAttached('it has changed');
}

async function readUpTo(file: FileHandle, room: number): Promise<Uint8Array> {
  const { size } = await file.stat();
  if (size > maxAttachedBytes)
    throw new NotAttached(`it has ${megabytes(size)}, and ${megabytes(maxAttachedBytes)} is the limit`);
  if (size > room)
    throw new NotAttached(
      `it has ${megabytes(size)}, and all files together may have ${megabytes(maxAttachedBytes)}`,
    );
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The path below the directory, or undefined if it is not in there. */
function within(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way ? undefined : way;
}
