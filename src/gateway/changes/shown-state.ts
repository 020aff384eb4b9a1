import { createHash } from 'node:crypto';
import { type BytePath, bytePath } from '../../process/work-tree/byte-path.js';
import type { TreeFile } from './compare-trees.js';
import type { ChangeNow } from './file-now.js';
import type { Shadow } from './shadow.js';

/**
 * Names what a list shows of a file: its states before and after the turns, and what it holds now. Whoever puts it back says by this
 * what they have looked at.
 */
export async function shownState(shadow: Shadow, { path, before, after, now }: ChangeNow): Promise<string> {
  const present = now === 'other' ? await factsOf(shadow, path) : nameOf(now);
  const states = [path, nameOf(before), nameOf(after), present];
  return createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 32);
}

function nameOf(file: TreeFile | undefined): string {
  return file === undefined ? '' : `${file.mode} ${file.oid}`;
}

/** What is too large to be read, or no file, is told apart by this. */
async function factsOf({ cwd, workTrees }: Shadow, path: BytePath): Promise<string> {
  const request = { tree: bytePath(cwd), paths: [path], followLinks: false };
  const [found] = await workTrees.facts(request);
  const facts = found !== undefined && 'ino' in found ? found : undefined;
  return `other ${facts?.ino} ${facts?.size} ${facts?.mtimeMs} ${facts?.ctimeMs}`;
}
