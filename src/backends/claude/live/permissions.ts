import type { PermissionRequestEvent } from '../../../core/chat-event.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import type { LiveSessionOptions, PermissionAnswer } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { alwaysField, everyEdit, isAllowing } from '../../output/permission-request.js';
import { object, objects, text } from '../../output/read-fields.js';
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

const confirmationId = 'turnout-confirm';

/**
 * The hook that makes Claude ask before each tool, in every mode, those of MCP servers and of subagents included. The time
 * limit (in seconds) is ours to keep: after its own, Claude (2.1.325; a minute) would go on as if the hook had agreed.
 */
export const confirmationHooks = {
  PreToolUse: [{ matcher: '*', hookCallbackIds: [confirmationId], timeout: 7 * 24 * 3600 }],
} as const;

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

/** The subject of a request of Claude's: a `can_use_tool`, or the callback of our hook. */
export function requestedTool(
  request: JsonObject,
): Pick<PermissionRequestEvent, 'tool' | 'input' | 'toolId'> {
  const facts = isConfirmation(request) ? object(request['input']) : request;
  const input = facts[isConfirmation(request) ? 'tool_input' : 'input'];
  const toolId = text(request['tool_use_id']);
  return { tool: text(facts['tool_name']), input: input ?? {}, ...(toolId === '' ? {} : { toolId }) };
}

/** The callback of another hook before a tool, as the question that is put to our caller then. */
export function asConfirmation(request: JsonObject): JsonObject {
  return { ...request, callback_id: confirmationId };
}

export function isConfirmation(request: JsonObject): boolean {
  return request['subtype'] === 'hook_callback' && request['callback_id'] === confirmationId;
}

/** The answer in Claude's own terms. */
export function permissionResult(request: JsonObject, answer: PermissionAnswer): JsonObject {
  if (isConfirmation(request)) return confirmationResult(answer);
  if (!isAllowing(answer.decision)) {
    return { behavior: 'deny', message: answer.message || 'The user did not allow this.' };
  }
  const allowed = { behavior: 'allow', updatedInput: request['input'] ?? {} };
  return answer.decision === 'allow_always'
    ? { ...allowed, updatedPermissions: lastingPermissions(request) }
    : allowed;
}

/** What "always" allows, as it is shown: the rules that are added, without the name of the tool that is asked for. */
export function alwaysAllowed(request: JsonObject): Pick<PermissionRequestEvent, 'always'> {
  const own = text(request['tool_name']);
  return alwaysField(
    lastingPermissions(request).flatMap((update) =>
      update['type'] === 'setMode'
        ? allowedByMode(text(update['mode']))
        : objects(update['rules']).map((rule) => describeRule(rule, own)),
    ),
  );
}

/** What the mode that Claude (2.1.325) suggests for an edit lets through. Of another mode that isn't known. */
function allowedByMode(mode: string): readonly string[] {
  return mode === 'acceptEdits' ? [everyEdit, 'the commands mkdir, touch, rm, rmdir, mv, cp and sed'] : [''];
}

function describeRule(rule: JsonObject, own: string): string {
  const [tool, content] = [text(rule['toolName']), text(rule['ruleContent'])];
  if (tool === '') return '';
  if (content === '') return `every ${tool}`;
  return tool === own ? content : `${tool}(${content})`;
}

/** An empty answer is no opinion: the mode decides what our caller has confirmed. */
function confirmationResult({ decision, message }: PermissionAnswer): JsonObject {
  if (isAllowing(decision)) return {};
  const permissionDecisionReason = message || 'This was not allowed.';
  const hookEventName = 'PreToolUse';
  return { hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason } };
}

/**
 * The rules that "always" adds for this request, as Claude suggests them. They are meant for the project's settings file;
 * ours end with the session. Edits have no rule but a mode.
 */
function lastingPermissions(request: JsonObject): readonly JsonObject[] {
  const suggestions = objects(request['permission_suggestions']);
  const destination = 'session';
  const rules = suggestions
    .filter(({ type, behavior = 'allow' }) => type === 'addRules' && behavior === 'allow')
    .flatMap((suggestion) => objects(suggestion['rules']));
  if (rules.length > 0) return [{ type: 'addRules', rules, behavior: 'allow', destination }];
  const modes = suggestions.filter(({ type }) => type === 'setMode');
  if (modes.length > 0) return modes.map(({ type, mode }) => ({ type, mode, destination }));
  const rule = { toolName: text(request['tool_name']) };
  return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination }];
}
