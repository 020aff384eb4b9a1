import type { PermissionMode } from '../../../core/permission-mode.js';
import type { LiveSessionOptions, PermissionAnswer } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { objects, text } from '../../output/read-fields.js';
import { effectiveMode } from '../arguments.js';

/** How a mode of ours is kept: Claude's own mode, and what becomes of its questions. */
export interface Permissions {
  readonly claudeMode: string;
  readonly questions: 'ask' | { readonly refuse: string };
}

/**
 * Whether permissions are skipped is settled when a process starts. One that skips them has nobody to ask: what Claude
 * wants to be asked for all the same (`rm -rf ~`) is refused, as in a one-shot run.
 */
export function mayAsk(options: LiveSessionOptions): boolean {
  return effectiveMode(options) !== 'bypass';
}

export function permissionsFor(mode: PermissionMode, started: LiveSessionOptions): Permissions {
  switch (mode) {
    case 'ask':
      return { claudeMode: 'default', questions: 'ask' };
    case 'edits':
      return { claudeMode: 'acceptEdits', questions: 'ask' };
    case 'plan':
      return { claudeMode: 'plan', questions: { refuse: 'Plan mode is read only.' } };
    case 'bypass':
      return mayAsk({ ...started, permissionMode: mode })
        ? { claudeMode: 'default', questions: { refuse: 'This is not among the allowed tools.' } }
        : { claudeMode: 'bypassPermissions', questions: { refuse: 'There is nobody to ask.' } };
  }
}

/** The answer to a `can_use_tool` request in Claude's own terms. */
export function permissionResult(request: JsonObject, answer: PermissionAnswer): JsonObject {
  if (answer.decision === 'deny') {
    return { behavior: 'deny', message: answer.message || 'The user did not allow this.' };
  }
  const allowed = { behavior: 'allow', updatedInput: request['input'] ?? {} };
  return answer.decision === 'allow'
    ? allowed
    : { ...allowed, updatedPermissions: lastingPermissions(request) };
}

/**
 * The rules that "always" adds for this request, as Claude suggests them. They are meant for the project's settings file;
 * ours end with the session. Edits have no rule but a mode.
 */
function lastingPermissions(request: JsonObject): readonly JsonObject[] {
  const suggestions = objects(request['permission_suggestions']);
  const rules = suggestions.filter((suggestion) => suggestion['type'] === 'addRules');
  const modes = suggestions.filter((suggestion) => suggestion['type'] === 'setMode');
  const chosen = rules.length > 0 ? rules : modes;
  if (chosen.length > 0) return chosen.map((suggestion) => ({ ...suggestion, destination: 'session' }));
  const rule = { toolName: text(request['tool_name']) };
  return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' }];
}
