import { isAbsolute, relative, sep } from 'node:path';

/** True also for the directory itself. Both are absolute; links in them have to be resolved before. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
