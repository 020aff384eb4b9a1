import { connect, type Socket } from 'node:net';
import type { Environment } from '../config/home-directory.js';
import { late, within } from '../core/wait.js';
import { hostEnvironment } from './host-environment.js';
import { sweepSockets } from './listen.js';
import { SocketPlace } from './socket-place.js';

export interface HostPlace {
  readonly home: string;
  /** The file of the command `turnout`, which is the host's program, too. */
  readonly program: string;
  readonly env: Environment;
}

/** A host that is started on a busy machine gets so long; the turn then runs without it. */
const startMs = 5000;

/** Connects to the host, and starts one if there is none. Undefined if that can't be done: the reason does not matter. */
export async function reachHost(place: HostPlace): Promise<Socket | undefined> {
  try {
    const found = await findHost(place.home);
    if (found !== undefined) return found;
    return (await startHost(place)) ? await findHost(place.home) : undefined;
  } catch {
    return undefined;
  }
}

/** Connects to the host; undefined if none runs. Rejects if the socket can't be trusted. */
export async function findHost(home: string): Promise<Socket | undefined> {
  let place: SocketPlace;
  try {
    place = new SocketPlace(home);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    if (place.socket() === undefined) return undefined;
    const socket = connect(place.pathOf());
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return socket;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ECONNREFUSED') throw error;
    // Nobody listens: a killed host has left its socket.
    await sweepSockets(place).catch(() => undefined);
    return undefined;
  } finally {
    place.close();
  }
}

/** Resolves to true when the new host, or one that was quicker, takes connections. It outlives this process. */
async function startHost({ home, program, env }: HostPlace): Promise<boolean> {
  // A client that finds a host need not load it.
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [program, 'host', 'serve'], {
    // It must not keep a directory from being unmounted or removed.
    cwd: '/',
    env: hostEnvironment(env, home),
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.unref();
  const [, , , ready] = child.stdio as unknown as readonly [null, null, null, Socket];
  const told = new Promise<boolean>((resolve) => {
    ready.once('data', () => resolve(true)).once('close', () => resolve(false));
    child.once('error', () => resolve(false));
  });
  try {
    const answer = await within(startMs, told);
    return answer !== late && answer;
  } finally {
    ready.destroy();
  }
}
