import { noReply } from '../../core/seeded-prompt.js';

/** Stands for the answer of a schedule's turn that had nothing to say (docs/schedules.md). */
export const nothingToSay = '(nothing to say)';

/** True as long as what was said may still become an answer that says nothing: it is not shown before that is known. */
export function mayBeSilence(said: string): boolean {
  return noReply.startsWith(said.trim());
}
