import { lstat, readlink } from 'node:fs/promises';
import { absolute, type BytePath } from '../../process/work-tree/byte-path.js';
import type { FileChange, TreeFile } from './compare-trees.js';
import { maxFileBytes } from './limits.js';
import { blobName, readFileOnly } from './read-file.js';

/** A file as it is now. `other` is what no snapshot holds: a directory, a pipe, a large file, or something behind a link. */
export type FileNow = TreeFile | 'other' | undefined;

export interface ChangeNow extends FileChange {
  readonly now: FileNow;
}

export async function fileNow(cwd: string, path: BytePath): Promise<FileNow> {
  const held = await heldNow(cwd, path);
  return held === undefined || held === 'other' ? held : { mode: held.mode, oid: blobName(held.content) };
}

export interface Held {
  readonly mode: string;
  /** Of a link, its target. */
  readonly content: Buffer;
}

export async function heldNow(cwd: string, path: BytePath): Promise<Held | 'other' | undefined> {
  try {
    const parts = path.split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const facts = await lstat(absolute(cwd, parts.slice(0, count).join('/')));
      if (facts.isSymbolicLink()) return 'other';
    }
    const file = absolute(cwd, path);
    const facts = await lstat(file);
    if (facts.isSymbolicLink())
      return { mode: '120000', content: await readlink(file, { encoding: 'buffer' }) };
    if (!facts.isFile() || facts.size > maxFileBytes) return 'other';
    // It may have become a pipe or a link meanwhile.
    const content = await readFileOnly(file);
    return content === undefined ? 'other' : { mode: facts.mode & 0o100 ? '100755' : '100644', content };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? undefined : 'other';
  }
}
