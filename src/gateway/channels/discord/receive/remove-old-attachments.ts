import { lstat, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeScratchFiles } from '../../../../backends/launch/scratch-files.js';

/**
 * Removes the folders of messages that were written before a time, and what a crash has left of downloads. Returns how many
 * are gone. What can't be removed is tried again at the next call.
 */
export async function removeOldAttachments(directory: string, before: number): Promise<number> {
  let removed = 0;
  for (const channel of await folders(directory)) {
    const parent = join(directory, channel);
    for (const name of await folders(parent)) {
      const folder = join(parent, name);
      const at = writtenAt(name);
      if (at === undefined || at >= before) continue;
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

const discordEpoch = 1_420_070_400_000n;

/** The time that a message's id tells. Not that of the folder: the agent can change it. */
function writtenAt(name: string): number | undefined {
  const [, id] = /^(\d{1,20})(?:\.part-[0-9a-f]+)?$/.exec(name) ?? [];
  return id === undefined ? undefined : Number((BigInt(id) >> 22n) + discordEpoch);
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
