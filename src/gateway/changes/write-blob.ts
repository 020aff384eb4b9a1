import { chmod, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import { blobName } from './blob-name.js';
import { type Shadow, sharedMode } from './shadow.js';

/**
 * Writes a content into a shadow, as git does, and returns its name. Git itself would take the names of files by lines, change some
 * of them (it drops a CR at the end), and open what it finds there, through links.
 */
export async function writeBlob(shadow: Shadow, content: Buffer): Promise<string> {
  const name = blobName(content);
  const file = join(shadow.directory, 'objects', name.slice(0, 2), name.slice(2));
  const now = new Date();
  // One that is there and that no tree names would be removed after a day.
  const isThere = await utimes(file, now, now).then(
    () => true,
    () => false,
  );
  if (isThere) return name;
  written += 1;
  // Git removes what has such a name when it tidies: a kill may leave it.
  const made = join(shadow.directory, 'objects', `tmp_obj_${process.pid}_${written}`);
  const packed = await compress(Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), {
    level: constants.Z_BEST_SPEED,
  });
  try {
    await writeFile(made, packed, { mode: 0o444 });
    // The git of the agents' user may write the same one, and wants to give it the mode that `sharedRepository` says.
    if (shadow.user !== undefined) await chmod(made, 0o440);
    const folder = await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    if (folder !== undefined && shadow.user !== undefined) await chmod(folder, sharedMode);
    await rename(made, file);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
  return name;
}

let written = 0;

const compress = promisify<Buffer, { readonly level: number }, Buffer>(deflate);
