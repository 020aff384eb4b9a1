import type { PermissionDecision } from '../../../core/chat-event.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import type { LiveSessionOptions } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { isAllowing } from '../../output/permission-request.js';
import { object, objects, text } from '../../output/read-fields.js';

/** Gemini's names of the modes over ACP (its command line spells one of them `auto_edit`). */
const geminiModes: Readonly<Record<PermissionMode, string>> = {
  bypass: 'yolo',
  ask: 'default',
  edits: 'autoEdit',
  plan: 'plan',
};

/** A session that asks before every tool needs a mode that allows none; `plan` refuses what has an effect. */
export function geminiMode({
  permissionMode: mode,
  confirmTools,
}: Pick<LiveSessionOptions, 'permissionMode' | 'confirmTools'>): string {
  return geminiModes[confirmTools && mode !== 'plan' ? 'ask' : mode];
}

/** True if the mode allows the tool by itself: Gemini (0.61.0) edits without a question in its mode `autoEdit`. */
export function isAllowed(params: JsonObject, mode: PermissionMode): boolean {
  return mode === 'bypass' || (mode === 'edits' && object(params['toolCall'])['kind'] === 'edit');
}

/** ACP's outcome for a decision; without a decision the request is withdrawn. */
export function chooseOption(params: JsonObject, decision: PermissionDecision | undefined): JsonObject {
  const option = decision === undefined ? undefined : optionFor(objects(params['options']), decision);
  return option === undefined
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId: text(option['optionId']) } };
}

/** Options are chosen by their kind: the ids differ from tool to tool. */
function optionFor(options: readonly JsonObject[], decision: PermissionDecision): JsonObject | undefined {
  const ofKind = (kind: string) => options.filter((option) => option['kind'] === kind);
  if (!isAllowing(decision)) return ofKind('reject_once')[0] ?? ofKind('reject_always')[0];
  if (decision === 'allow') return ofKind('allow_once')[0];
  // Several options may allow always: the narrowest is taken, not a whole server's tools, and not for all time.
  const always = ofKind('allow_always');
  const narrow = always.find((option) => !/\b(all|future)\b/i.test(text(option['name'])));
  return narrow ?? always[0] ?? ofKind('allow_once')[0];
}
