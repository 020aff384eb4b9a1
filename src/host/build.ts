import { statSync } from 'node:fs';

/** Tells one build of the program from another, of the same version too: its file is another one. */
export function buildOf(program: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(program);
  return [dev, ino, size, mtimeMs, ctimeMs].join('.');
}
