import { realpathSync } from 'node:fs';

/** Undefined if there is nothing. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
