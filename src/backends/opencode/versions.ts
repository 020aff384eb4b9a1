import { isAtLeast, versionIn } from '../launch/cli-version.js';
import type { JsonObject } from '../output/json.js';
import { text } from '../output/read-fields.js';

// What depends on the version of OpenCode. What it shows counts before its number.

/** Returns the version that a session's description shows: that of the OpenCode which made the session. `run` shows none. */
export function shownVersion(session: JsonObject): string | undefined {
  return versionIn(text(session['version']));
}

/** True if `opencode run` ends before it has printed the end of its turn: always in 1.15.4 and 1.15.13, never in 1.17.0. */
export function losesEndOfRun(version: string | undefined): boolean {
  return version !== undefined && !isAtLeast(version, '1.17.0');
}

/** The flag that allows whatever is not denied. */
export const allowFlag = '--auto';

/** Its name before 1.18 (1.15.4, 1.15.13, 1.17.0, 1.17.11). An unknown flag is answered with the list of the known ones. */
export const olderAllowFlag = '--dangerously-skip-permissions';

/** True if the version, or what a failed run has printed, shows that the flag has its older name. */
export function hasOlderAllowFlag(version: string | undefined, printed = ''): boolean {
  if (printed.includes(olderAllowFlag)) return !printed.includes(`${allowFlag} `);
  return version !== undefined && !isAtLeast(version, '1.18.0');
}
