import { homedir } from 'node:os';
import { exactLine } from '../../core/text.js';

/** A path as a person would write it: `~/work`. */
export function shortPath(path: string): string {
  const home = homedir();
  return exactLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
