import { chmodSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const self = process.geteuid?.() ?? 0;

/** Fresh directories, by the name that was not to be had. */
const fresh = new Map<string, string>();

/**
 * A directory of this user's in the system's place for temporary files. Everybody can write there: if somebody else has
 * made a directory or a link of that name, a new one with a name that nobody knows is taken.
 */
export function temporaryDirectory(name: string, mode: number): string {
  const path = temporaryPath(name);
  try {
    mkdirSync(path, { mode });
  } catch {
    // It is there, or it can't be made: `isOurs` tells.
  }
  if (isOurs(path)) return path;
  const known = fresh.get(path);
  if (known !== undefined && isOurs(known)) return known;
  const made = mkdtempSync(`${path}-`);
  chmodSync(made, mode);
  fresh.set(path, made);
  return made;
}

export function temporaryPath(name: string): string {
  return join(tmpdir(), `turnout-${self}${name}`);
}

/** True if this user alone can put something into the directory. A link is nobody's. */
export function isOurs(path: string): boolean {
  try {
    const facts = lstatSync(path);
    return facts.isDirectory() && facts.uid === self && (facts.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
