import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The other user that a file belongs to, or the directory that hides it: `the user alice`. Undefined if it is this user's. */
export function otherOwner(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const uid = uidOf(at);
    if (uid !== undefined) return uid === process.geteuid?.() ? undefined : `the user ${userName(uid)}`;
    if (at === dirname(at)) return undefined;
  }
}

/** Users of a directory service are not in the list: their number has to do. */
export function userName(uid: number): string {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    const fields = lines.map((line) => line.split(':'));
    return fields.find(([, , number]) => number === String(uid))?.[0] ?? String(uid);
  } catch {
    return String(uid);
  }
}

function uidOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}
