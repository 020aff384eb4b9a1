import { versionIn } from '../launch/cli-version.js';
import type { JsonObject } from '../output/json.js';
import { text } from '../output/read-fields.js';

// What depends on the version of Codex: nothing is decided by it. Formats that differ (the decoder knows three) show by
// themselves.

/** Returns the version that the answer to the app-server's `initialize` shows. `exec --json` shows none. */
export function shownVersion(answer: JsonObject): string | undefined {
  return versionIn(text(answer['userAgent']));
}
