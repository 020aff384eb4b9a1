import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isInside } from '../../core/is-inside.js';

export type InsideFile = { readonly type: 'text'; readonly text: string } | { readonly type: 'missing' };

/**
 * Reads a text file of a directory. Undefined for what is no text, is longer than `maxBytes`, can't be read, or lies outside:
 * links are not followed out of the directory.
 */
export async function readInside(
  directory: string,
  path: string,
  maxBytes: number,
): Promise<InsideFile | undefined> {
  try {
    const root = await realpath(directory);
    const wanted = resolve(root, path);
    const real = await realpath(wanted).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (real === undefined) return (await isMissingIn(root, wanted)) ? { type: 'missing' } : undefined;
    if (!isInside(real, root)) return undefined;
    const text = await readText(real, maxBytes);
    return text === undefined ? undefined : { type: 'text', text };
  } catch {
    return undefined;
  }
}

/** True if the file could be made in the directory: its nearest directory that exists is inside. */
async function isMissingIn(root: string, wanted: string): Promise<boolean> {
  for (let parent = dirname(wanted); parent !== dirname(parent); parent = dirname(parent)) {
    const real = await realpath(parent).catch(() => undefined);
    if (real !== undefined) return isInside(real, root);
  }
  return false;
}

async function readText(real: string, maxBytes: number): Promise<string | undefined> {
  // Without O_NONBLOCK a FIFO would block the open for ever; what became a link meanwhile is not followed.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const bytes = Buffer.alloc(maxBytes + 1);
    let size = 0;
    while (size < bytes.length) {
      const { bytesRead } = await file.read(bytes, size, bytes.length - size, size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    if (size > maxBytes) return undefined;
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, size));
    return text.includes('\0') ? undefined : text;
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
