import type { PermissionMode } from '../core/permission-mode.js';

/** From the mode that allows the least. Where nobody can be asked, `ask` allows no more than `plan`. */
const fromStrictest: readonly PermissionMode[] = ['plan', 'ask', 'edits', 'bypass'];

/** The mode that is nearest to the wanted one, allows less, and is possible. */
export function stricterMode(
  wanted: PermissionMode,
  isPossible: (mode: PermissionMode) => boolean,
): PermissionMode | undefined {
  return fromStrictest.slice(0, fromStrictest.indexOf(wanted)).findLast(isPossible);
}

export function allowsLess(one: PermissionMode, other: PermissionMode): boolean {
  return fromStrictest.indexOf(one) < fromStrictest.indexOf(other);
}
