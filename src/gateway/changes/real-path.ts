import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Undefined if there is nothing. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** True also for the directory itself. Both are real paths. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
