import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasProc } from '../../process/system.js';

/**
 * Opens a record of a CLI for reading. The agent may have put a link to somebody else's file, or a pipe, in its place. People link their
 * folders elsewhere, too: a link on the way counts if it is root's, or belongs to whom the file belongs to.
 */
export async function openRecord(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // Anybody else can read only what the agent, which is the same user, can read as well.
    if (process.geteuid?.() === 0 && hasProc()) await checkWay(file, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function checkWay(file: FileHandle, path: string): Promise<void> {
  const opened = await readlink(`/proc/self/fd/${file.fd}`);
  if (opened === path) return;
  const { uid } = await file.stat();
  const { end, owners } = await wayTo(path);
  // Links that have changed since lead elsewhere.
  if (end !== opened || owners.some((owner) => owner !== 0 && owner !== uid))
    throw Object.assign(new Error(`${path} is behind a link to a file of somebody else`), { code: 'EACCES' });
}

/** Where a path ends, and whose the links on the way there are. */
async function wayTo(path: string): Promise<{ readonly end: string; readonly owners: readonly number[] }> {
  const owners: number[] = [];
  let at = '/';
  for (let rest = path.split('/'); rest.length > 0; ) {
    const [name = '', ...more] = rest;
    const next = name === '..' ? dirname(at) : join(at, name);
    const facts = await lstat(next);
    if (!facts.isSymbolicLink()) at = next;
    else if (owners.push(facts.uid) > maxLinks)
      throw new Error(`There are too many links on the way to ${path}.`);
    const target = facts.isSymbolicLink() ? await readlink(next) : undefined;
    if (target?.startsWith('/')) at = '/';
    rest = target === undefined ? more : [...target.split('/'), ...more];
  }
  return { end: at, owners };
}

const maxLinks = 40;
