import type { PermissionDecision, PermissionRequestEvent } from '../../../core/chat-event.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import type { LiveSessionOptions } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { alwaysField, everyEdit, isAllowing } from '../../output/permission-request.js';
import { object, objects, text } from '../../output/read-fields.js';
import { commandOf } from '../versions.js';

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

/**
 * What "always" allows. Gemini (0.61.0) calls it "Allow for this session" and does not say more; measured, it is every command
 * of the same programs, or its mode that edits without asking.
 */
export function alwaysAllowed(params: JsonObject, tool: string): Pick<PermissionRequestEvent, 'always'> {
  const option = optionFor(objects(params['options']), 'allow_always');
  if (option?.['kind'] !== 'allow_always') return {};
  const call = object(params['toolCall']);
  if (call['kind'] === 'edit') return alwaysField([everyEdit]);
  if (call['kind'] === 'execute') return alwaysField(sameProgram(commandOf(call)));
  return option['optionId'] === 'proceed_always_tool' ? alwaysField([`every ${tool}`]) : {};
}

/** The program of a command that is nothing but one program and plain words. Of any other, Gemini's programs are not known. */
function sameProgram(command: string): readonly string[] {
  const program = /^([\w./+-]+)(?: [\w./+=:@,% -]*)?$/.exec(command)?.[1];
  return program === undefined ? [] : [`${program} *`];
}
