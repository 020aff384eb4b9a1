import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { late, within } from '../core/wait.js';
import { type SocketPlace, socketName } from './socket-place.js';

/**
 * Makes the server the one host of its directory, under the socket's name; false if there is one already. The name is a link
 * that only one of several hosts can make. What a killed host has left in its place is moved away first, and given back if it
 * turns out to be another's.
 */
export async function listenAlone(server: Server, place: SocketPlace): Promise<boolean> {
  const own = `new-${process.pid}-${randomBytes(4).toString('hex')}.sock`;
  const ownPath = join(place.directory, own);
  const path = join(place.directory, socketName);
  const mask = process.umask(0o177);
  try {
    server.listen(place.pathOf(own));
  } finally {
    process.umask(mask);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve).once('error', reject);
  });
  chmodSync(ownPath, 0o600);
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (claim(ownPath, path)) return true;
      const found = lstatSync(path, { throwIfNoEntry: false })?.ino;
      if (await answers(place.pathOf())) return false;
      if (found !== undefined) moveAway(path, `${ownPath}.old`, found);
    }
    return false;
  } finally {
    rmSync(ownPath, { force: true });
  }
}

/** True if the socket under the host's name is this one. */
export function isAtPlace(place: SocketPlace, ino: number): boolean {
  return lstatSync(join(place.directory, socketName), { throwIfNoEntry: false })?.ino === ino;
}

/** Takes the socket away, if it is this one. */
export function leavePlace(place: SocketPlace, ino: number): void {
  if (isAtPlace(place, ino)) rmSync(join(place.directory, socketName), { force: true });
}

function claim(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function moveAway(path: string, aside: string, expected: number): void {
  try {
    renameSync(path, aside);
    if (lstatSync(aside).ino !== expected) linkSync(aside, path);
    rmSync(aside, { force: true });
  } catch {
    // Another host was quicker: the next look shows it.
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  const connected = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  try {
    // A host that is stopped takes connections all the same: the kernel does so for it.
    const answer = await within(1000, connected);
    return answer === late || answer;
  } finally {
    socket.destroy();
  }
}
