import { closeSync, openSync, rmSync, statSync } from 'node:fs';

/** Whoever holds a lock for longer than this has died: what is done under one takes milliseconds. */
const staleMs = 10_000;

/**
 * Takes a lock by a file of that name, and returns what gives it back; undefined if another process holds it, or if the file
 * can't be made.
 */
export function tryLock(path: string): (() => void) | undefined {
  if (!make(path)) {
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // A time that is far ahead is left by a clock that was set back.
    if (Math.abs(age) < staleMs) return undefined;
    rmSync(path, { force: true });
    if (!make(path)) return undefined;
  }
  return () => rmSync(path, { force: true });
}

function make(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}
