import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Environment, userHome } from '../config/home-directory.js';
import type { Log } from '../config/log.js';
import { makeDirectory } from '../core/make-directory.js';
import { type DirectoryLock, HeldError, isHeld, lockDirectory } from '../store/instance-lock.js';

/** All gateways of a user share this directory, whatever their homes are. */
export function sharedLocks(env: Environment, kind: 'discord' | 'homes'): string {
  // Not XDG_STATE_HOME: a shell may have it, and a service not.
  return join(userHome(env), '.local', 'state', 'turnout', kind);
}

/**
 * Makes this process the only gateway of a home. One lock is in the home, where every user and container that shares the
 * directory finds it. A second one is outside, so that a home whose lock file was removed, or that was removed and made anew,
 * still has its owner. Where it can't be made (a read-only HOME) the first one counts alone.
 */
export async function lockHome(home: string, env: Environment, log: Log): Promise<DirectoryLock> {
  try {
    // Only a directory that is there has a real path.
    makeDirectory(home);
  } catch {
    // It says what is wrong.
    return lockDirectory(home);
  }
  const { outside, error } = await lockOutside(home, env);
  try {
    const inside = await lockDirectory(home);
    if (error !== undefined)
      log.warn('only the lock in the home keeps a second gateway away: the one outside it can not be made', {
        error,
      });
    return {
      check: () => inside.check(),
      async release() {
        await inside.release();
        await outside?.release();
      },
    };
  } catch (error) {
    await outside?.release();
    throw error;
  }
}

/** True if a gateway is at work on the home. */
export async function isHomeHeld(home: string, env: Environment = process.env): Promise<boolean> {
  if (await isHeld(home)) return true;
  try {
    return await isHeld(sharedLocks(env, 'homes'), nameOf(home));
  } catch {
    // Nobody can have locked what can't be read, or there is no such home.
    return false;
  }
}

async function lockOutside(
  home: string,
  env: Environment,
): Promise<{ readonly outside?: DirectoryLock; readonly error?: unknown }> {
  try {
    return { outside: await lockDirectory(sharedLocks(env, 'homes'), nameOf(home)) };
  } catch (error) {
    if (error instanceof HeldError) throw new HeldError('gateway', home, error.pid);
    return { error };
  }
}

/** Machines and containers may share HOME, and have homes of their own under the same path. */
function nameOf(home: string): string {
  return createHash('sha256')
    .update(`${hostname()}\0${realpathSync(home)}`)
    .digest('hex')
    .slice(0, 16);
}
