import { closeSync, constants, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../core/make-directory.js';
import { hasProc } from '../process/system.js';

/** Below the limit of all systems (104 bytes on macOS, 108 on Linux), with room for the name of a new socket. */
const longestPath = 70;

export const socketName = 'host.sock';

/**
 * The directory of the host's socket, ready to be used. A path may be longer than a socket's may be: Linux leads to the
 * directory through an open file, under a short name.
 */
export class SocketPlace {
  readonly directory: string;
  readonly #file: number | undefined;

  /** Throws if the directory is not there or not ours alone, or too deep for this system. */
  constructor(home: string, create = false) {
    const named = join(home, 'host');
    if (create) makeDirectory(named);
    this.directory = join(realpathSync(home), 'host');
    checkPrivate(this.directory, lstatSync(this.directory));
    for (const above of directoriesAbove(this.directory)) checkTrusted(above, statSync(above));
    if (Buffer.byteLength(this.directory) <= longestPath) return;
    if (!hasProc()) throw new Error(`${this.directory} is too long for a socket.`);
    this.#file = openSync(this.directory, constants.O_RDONLY | constants.O_DIRECTORY);
  }

  /** The name under which this process can use the socket. */
  pathOf(name = socketName): string {
    return this.#file === undefined
      ? join(this.directory, name)
      : join('/proc/self/fd', String(this.#file), name);
  }

  /** The socket, if it is there. Throws if it is not ours. */
  socket(): Stats | undefined {
    const path = join(this.directory, socketName);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return undefined;
    if (!facts.isSocket()) throw new Error(`${path} is no socket.`);
    checkPrivate(path, facts);
    return facts;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Nobody else may use it, nor may it be a link to something that somebody else may use. */
function checkPrivate(path: string, facts: Stats): void {
  if (facts.isSymbolicLink()) throw new Error(`${path} is a link.`);
  if (facts.uid !== process.geteuid?.()) throw new Error(`${path} belongs to the user ${facts.uid}.`);
  if ((facts.mode & 0o077) !== 0) throw new Error(`${path} is open to other users.`);
}

/** Nobody but this user and root may put another directory in its place. */
function checkTrusted(path: string, { uid, mode }: Stats): void {
  if (uid !== 0 && uid !== process.geteuid?.()) throw new Error(`${path} belongs to the user ${uid}.`);
  const sticky = (mode & 0o1000) !== 0;
  if ((mode & 0o022) !== 0 && !sticky) throw new Error(`${path} can be changed by other users.`);
}

function directoriesAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...directoriesAbove(above)];
}
