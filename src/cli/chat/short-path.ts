import { homedir } from 'node:os';
import { wholeLine } from '../../core/whole-lines.js';

/** A path as a person would write it: `~/work`. */
export function shortPath(path: string): string {
  const home = homedir();
  return wholeLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
