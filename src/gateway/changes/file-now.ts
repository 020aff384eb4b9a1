import { type BytePath, bytePath, bytesOf } from '../../process/work-tree/byte-path.js';
import { blobName } from './blob-name.js';
import type { FileChange, TreeFile } from './compare-trees.js';
import { maxFileBytes } from './limits.js';
import type { Shadow } from './shadow.js';

/** A file as it is now. `other` is what no snapshot holds: a directory, a pipe, a large file, or something behind a link. */
export type FileNow = TreeFile | 'other' | undefined;

export interface ChangeNow extends FileChange {
  readonly now: FileNow;
}

export async function fileNow(shadow: Shadow, path: BytePath): Promise<FileNow> {
  const held = await heldNow(shadow, path);
  return held === undefined || held === 'other' ? held : { mode: held.mode, oid: blobName(held.content) };
}

export interface Held {
  readonly mode: string;
  /** Of a link, its target. */
  readonly content: Buffer;
}

/** Also `other` if the agent may not read it. */
export async function heldNow(shadow: Shadow, path: BytePath): Promise<Held | 'other' | undefined> {
  // The files of a repository around the directory are outside of that.
  const tree = path.startsWith('../') ? shadow.findRoot() : shadow.cwd;
  const found = await shadow.workTrees.read({
    tree: bytePath(tree),
    path: `${bytePath(shadow.cwd)}/${path}`,
    maxBytes: maxFileBytes,
    followLinks: false,
  });
  if (found.type === 'missing') return undefined;
  if (found.type === 'link') return { mode: '120000', content: bytesOf(found.target) };
  if (found.type !== 'file') return 'other';
  return { mode: found.isExecutable ? '100755' : '100644', content: found.content };
}
