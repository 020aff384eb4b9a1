import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this user alone, and those around it that are missing. Node's own `recursive` is for ever at work
 * where a directory is there and the kernel says ENOENT (in /proc), and of a read-only disk it tells that a file is missing.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const around = dirname(path);
  if (around !== path) makeDirectory(around);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
