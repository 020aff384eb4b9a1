import { AsyncLocalStorage } from 'node:async_hooks';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProcessUser } from '../../process/process-user.js';
import { hasProc } from '../../process/system.js';

type Reader = Pick<ProcessUser, 'uid' | 'gid'>;

const readers = new AsyncLocalStorage<Reader | undefined>();

/** Looks at records on behalf of the user that the CLIs run as, if it is another one than ours: what that user can't read is not read. */
export function readingFor<T>(user: Reader | undefined, look: () => Promise<T>): Promise<T> {
  return readers.run(user, look);
}

/**
 * Opens a record of a CLI for reading. The agent may have put a link to somebody else's file, or a pipe, in its place. People link their
 * folders elsewhere, too: a link on the way counts if it is root's, or belongs to whom the file belongs to.
 */
export async function openRecord(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const reader = readers.getStore();
    // That user may move a file of somebody else's that lies in a directory of its own.
    if (reader !== undefined && !mayRead(await file.stat(), reader))
      throw refused(`${path} is a file that the agent's user can't read`);
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
    throw refused(`${path} is behind a link to a file of somebody else`);
}

/** An owner may give itself the right. Further groups of the user are not looked up. */
function mayRead({ uid, gid, mode }: Stats, user: Reader): boolean {
  if (uid === user.uid) return true;
  return (mode & (gid === user.gid ? constants.S_IRGRP : constants.S_IROTH)) !== 0;
}

function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'EACCES' });
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
