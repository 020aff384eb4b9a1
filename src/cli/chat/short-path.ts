import { homedir } from 'node:os';
import { harmlessLine } from './text/harmless.js';

/** A path as a person would write it: `~/work`. */
export function shortPath(path: string): string {
  const home = homedir();
  return harmlessLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
