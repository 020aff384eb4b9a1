import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, nulTerminated } from '../../process/work-tree/byte-path.js';
import { readableContents } from './agent-rights.js';
import { pathOfEntry } from './own-entries.js';
import type { Shadow } from './shadow.js';

/** The contents in a shadow that the agent's user could not read: they are never written where it can. */
export async function closedContents(shadow: Shadow): Promise<ReadonlySet<string>> {
  const text = await readFile(listOf(shadow), 'utf8').catch(unlessMissing);
  return new Set(text.split('\n'));
}

/** An index that files are added to. */
export interface Filled {
  readonly shadow: Shadow;
  readonly index: string;
  /** What the index holds by now, as `ls-files --stage -z` prints it. */
  entries(): Promise<Buffer>;
}

/**
 * Adds files to an index, and notes which of them the agent's user may not read. Git reads them as root, so what it has found is
 * compared with what that user could have read. Their names are on disk meanwhile, for a gateway that is killed.
 */
export async function notingClosed(
  filled: Filled,
  paths: readonly BytePath[],
  add: () => Promise<void>,
): Promise<void> {
  if (filled.shadow.user === undefined) return add();
  await noteLeftover(filled);
  if (paths.length === 0) return add();
  await writeFile(unproven(filled), nulTerminated(paths));
  await add();
  await note(filled, paths);
}

/** Those that were added last, and not looked at any more. */
async function noteLeftover(filled: Filled): Promise<void> {
  const left = await readFile(unproven(filled), 'latin1').catch(unlessMissing);
  if (left !== '') await note(filled, left.split('\0'));
}

async function note(filled: Filled, paths: readonly BytePath[]): Promise<void> {
  const { shadow } = filled;
  if (shadow.user === undefined) return;
  const readable = await readableContents(shadow.cwd, paths, shadow.user);
  const looked = new Set(paths);
  const known = await closedContents(shadow);
  const found = new Set<string>();
  for (const entry of (await filled.entries()).toString('latin1').split('\0')) {
    const [, oid = '', name = ''] = /^\d+ ([0-9a-f]+) \d\t(.*)$/s.exec(entry) ?? [];
    const path = pathOfEntry(name);
    const isOpen = !looked.has(path) || readable.get(path) === oid || oid === emptyContent;
    if (!isOpen && !known.has(oid)) found.add(`${oid}\n`);
  }
  if (found.size > 0) await appendFile(listOf(shadow), [...found].join(''));
  await rm(unproven(filled), { force: true });
}

const emptyContent = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

function listOf(shadow: Shadow): string {
  return join(shadow.directory, 'closed');
}

function unproven({ index }: Filled): string {
  return `${index}.unproven`;
}

function unlessMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
