import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { maxFileBytes } from './limits.js';

/** Reads a file, and nothing else: a link is not followed, and a pipe not waited for. Undefined if it is no file, or a large one. */
export async function readFileOnly(path: string | Buffer): Promise<Buffer | undefined> {
  const handle = await open(path, plainly);
  try {
    return await contentOf(handle);
  } finally {
    await handle.close();
  }
}

export const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function contentOf(handle: FileHandle): Promise<Buffer | undefined> {
  const facts = await handle.stat();
  if (!facts.isFile() || facts.size > maxFileBytes) return undefined;
  const content = await handle.readFile();
  return content.length > maxFileBytes ? undefined : content;
}

/** Git's name for a content. */
export function blobName(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
