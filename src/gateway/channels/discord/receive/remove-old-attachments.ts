import { lstat, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeScratchFiles } from '../../../../backends/launch/scratch-files.js';
import { timeOf } from '../snowflake.js';

/** Removes the files of messages that were written before a time. Returns how many folders are gone. */
export function removeOldAttachments(directory: string, before: number): Promise<number> {
  return removeFolders(directory, (name) => (writtenAt(name) ?? before) < before);
}

/** Removes what a crash has left of downloads. Must not be called while there may be one. */
export function removeUnfinishedAttachments(directory: string): Promise<number> {
  return removeFolders(directory, (name) => name.includes('.part-') && writtenAt(name) !== undefined);
}

/** What can't be removed is tried again at the next call. */
async function removeFolders(directory: string, isGone: (name: string) => boolean): Promise<number> {
  let removed = 0;
  for (const channel of await folders(directory)) {
    const parent = join(directory, channel);
    for (const name of (await folders(parent)).filter(isGone)) {
      const folder = join(parent, name);
      // They may be of the agents' user, and are removed with that user's rights then.
      await removeScratchFiles(folder);
      const left = await lstat(folder).catch(() => undefined);
      if (left === undefined) removed++;
    }
    // It holds others still, or new ones: that is no error.
    await rmdir(parent).catch(() => undefined);
  }
  return removed;
}

/** The time that a message's id tells. Not that of the folder: the agent can change it. */
function writtenAt(name: string): number | undefined {
  const [, id] = /^(\d{1,20})(?:\.part-[0-9a-f]+)?$/.exec(name) ?? [];
  return id === undefined ? undefined : timeOf(id);
}

/** Links are left alone: nobody puts one there but an agent. */
async function folders(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
