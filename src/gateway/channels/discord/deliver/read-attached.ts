import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { bytePath } from '../../../../process/work-tree/byte-path.js';
import type { Found, WorkTreeFiles } from '../../../../process/work-tree-files.js';
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
 * work tree go out that the agent could read itself, no hidden ones, and no links lead out of it.
 */
export async function readAttached(
  files: Pick<WorkTreeFiles, 'read'>,
  path: string,
  place: AttachPlace,
  room: number,
): Promise<Uint8Array> {
  const request = { tree: bytePath(place.workTree), path: bytePath(path), followLinks: true };
  const maxBytes = Math.max(0, Math.min(maxAttachedBytes, room));
  const found = await files.read({ ...request, maxBytes }).catch((): Found => ({ type: 'missing' }));
  if (found.type !== 'file' && found.type !== 'large') throw new NotAttached(sentences[found.type]);
  await check(found, place.closed);
  if (found.type === 'large') throw new NotAttached(tooLarge(found.size));
  // A second name may be of a file outside.
  if (found.names > 1) throw new NotAttached('it has more than one name');
  return found.content;
}

const sentences = {
  missing: 'it could not be read',
  closed: 'the agent may not read it',
  outside: 'it is outside of the working directory',
  other: 'it is not a file, or it has changed',
  link: 'it is a link',
};

async function check(
  { real, root }: Pick<Found & { type: 'file' }, 'real' | 'root'>,
  closed: readonly string[],
) {
  if (
    within(root, real)
      ?.split(sep)
      .some((name) => name.startsWith('.'))
  )
    throw new NotAttached('it is hidden');
  for (const directory of closed) {
    const there = bytePath(await realpath(directory).catch(() => resolve(directory)));
    // A work tree may be in such a directory itself.
    if (within(there, real) !== undefined && within(there, root) === undefined)
      throw new NotAttached('it belongs to the gateway');
  }
}

function tooLarge(size: number): string {
  return size > maxAttachedBytes
    ? `it has ${megabytes(size)}, and ${megabytes(maxAttachedBytes)} is the limit`
    : `it has ${megabytes(size)}, and all files together may have ${megabytes(maxAttachedBytes)}`;
}

/** The path below the directory, or undefined if it is not in there. */
function within(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way ? undefined : way;
}
