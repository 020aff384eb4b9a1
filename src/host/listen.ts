import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { late, within } from '../core/wait.js';
import { SocketPlace, socketName } from './socket-place.js';

/**
 * Makes the server the one host of its directory, under the socket's name; false if there is one already. The name is a link
 * that only one of several hosts can make. What a killed host has left in its place is moved away first, and given back if it
 * turns out to be another's.
 */
export async function listenAlone(server: Server, place: SocketPlace): Promise<boolean> {
  const own = newName();
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

/** Removes what killed hosts have left in a home. Never rejects: the next use looks again. */
export async function sweepHost(home: string): Promise<void> {
  try {
    const place = new SocketPlace(home);
    await sweepSockets(place).finally(() => place.close());
  } catch {
    // No host was ever there, or the directory is not ours alone.
  }
}

/** Removes the sockets of killed hosts. One that somebody listens at stays, and one that a living process is about to use. */
export async function sweepSockets(place: SocketPlace): Promise<void> {
  for (const name of readdirSync(place.directory)) {
    const path = join(place.directory, name);
    const maker = /^new-(\d+)-[0-9a-f]{8}\.sock(\.old)?$/.exec(name)?.[1];
    if (maker !== undefined && !isRunning(Number(maker))) rmSync(path, { force: true });
    if (name !== socketName) continue;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSocket() && !(await answers(place.pathOf())))
      moveAway(path, join(place.directory, `${newName()}.old`), found.ino);
  }
}

function newName(): string {
  return `new-${process.pid}-${randomBytes(4).toString('hex')}.sock`;
}

/** A number that was given to another process costs nothing but a file that stays. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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

/** False only if nobody listens: whatever else keeps this process from connecting says nothing of the host. */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  const connected = new Promise<boolean>((resolve) => {
    socket
      .once('connect', () => resolve(true))
      .once('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
      );
  });
  try {
    // A host that is stopped takes connections all the same: the kernel does so for it.
    const answer = await within(1000, connected);
    return answer === late || answer;
  } finally {
    socket.destroy();
  }
}
