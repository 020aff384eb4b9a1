import { isAtLeast, versionIn } from '../launch/cli-version.js';
import { type SentPrompt, withSpaceInFront } from '../launch/prompt.js';
import type { JsonObject } from '../output/json.js';

// What depends on the version of Claude Code. What it shows counts before its number; the number decides where nothing
// else shows. Measured with 2.1.197, 2.1.252, 2.1.286, 2.1.299, 2.1.300 and 2.1.325.

/** Returns the version that an `init` line or the answer to `initialize` shows (the answer: since about 2.1.299). */
export function shownVersion(message: JsonObject): string | undefined {
  const { claude_code_version: version } = message;
  return typeof version === 'string' ? versionIn(version) : undefined;
}

/**
 * Makes a prompt one that this version gives to the model: a prompt that begins with `/` is a command to Claude, unless its
 * message is marked as not typed. Older versions don't know the mark, and show nothing of it but their number: there a space
 * in front is the least that keeps such a prompt a prompt.
 */
export function asPrompt(prompt: string, version: string | undefined): SentPrompt {
  if (!prompt.startsWith('/') || isAtLeast(version, '2.1.300')) return { prompt, notices: [] };
  return withSpaceInFront(prompt, version === undefined ? 'an old Claude Code' : `Claude Code ${version}`);
}

/**
 * Returns the part of a result's `total_cost_usd` that earlier processes of the session have cost, if it is known: before
 * 2.1.277 none, since then all of it (`remembered`). A total that is smaller than that shows an old version as well.
 */
export function costOfEarlierRuns(
  remembered: number | undefined,
  version: string | undefined,
  { total_cost_usd: total }: JsonObject = {},
): number | undefined {
  if (version !== undefined && !isAtLeast(version, '2.1.277')) return 0;
  return remembered !== undefined && typeof total === 'number' && total < remembered ? 0 : remembered;
}

/**
 * True if the version exits before a pipe has taken all of a large answer (2.1.197 lost half of 10 MB, 2.1.220 nothing). A
 * file takes it all.
 */
export function losesOutput(version: string | undefined): boolean {
  return version !== undefined && !isAtLeast(version, '2.1.220');
}

/**
 * Variables for a live process. When a background task ends, the agent begins a turn by itself, and may take a message of
 * ours up in it. Only since 2.1.286 does a result name the messages that it answers; before, such a turn could be told as the
 * wrong one's, or never end, so there are no background tasks.
 */
export function liveEnvironment(
  version: string | undefined,
  inherited: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  if (version === undefined || isAtLeast(version, '2.1.286')) return {};
  return { [withoutBackground]: inherited[withoutBackground] ?? '1' };
}

const withoutBackground = 'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS';

/** True if the `init` line promises `command_lifecycle` lines, which tell where a message's turn begins. */
export function promisesLifecycle({ capabilities }: JsonObject): boolean {
  return Array.isArray(capabilities) && capabilities.includes('msg_lifecycle_v1');
}

/** The flag without which a session keeps the system prompt of its first turn (2.1.325). Versions without it never do. */
export const snapshotFlag = '--system-prompt-snapshot';

/** True if the failure shows that this version does not know the flag. */
export function lacksSnapshots(failure: string): boolean {
  return failure.includes(`unknown option '${snapshotFlag}'`);
}

/** True if the version is known to have the flag: a terminal UI can't be started a second time without it. */
export function hasSnapshots(version: string | undefined): boolean {
  return isAtLeast(version, '2.1.325');
}
