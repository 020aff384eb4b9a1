import { type Fields, fieldsOf } from './read-messages.js';

/** The events of a turn and of a session at which this agent calls the client back, as Claude (2.1.325) does. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SessionStart',
  'SessionEnd',
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** A callback with which the client is asked about an event, or told of it. */
export interface Hook {
  readonly event: HookEvent;
  /** The tools' names with `|` between them; an empty text or `*` means every tool. */
  readonly matcher: string;
  readonly callbackId: string;
}

const maxHooks = 100;

export function hooksIn(registered: unknown): readonly Hook[] {
  return hookEvents.flatMap((event) => hooksOf(event, fieldsOf(registered)[event])).slice(0, maxHooks);
}

function hooksOf(event: HookEvent, matchers: unknown): readonly Hook[] {
  if (!Array.isArray(matchers)) return [];
  return matchers.flatMap((entry) => {
    const { matcher, hookCallbackIds: ids } = fieldsOf(entry);
    const callbackIds = Array.isArray(ids) ? ids : [];
    return callbackIds.map((id) => ({ event, matcher: String(matcher ?? ''), callbackId: String(id) }));
  });
}

/** The hooks for an event; for that of a tool only those that match its name. */
export function hooksFor(hooks: readonly Hook[], wanted: HookEvent, tool?: string): readonly Hook[] {
  return hooks.filter(
    ({ event, matcher }) =>
      event === wanted &&
      (tool === undefined || ['', '*', '.*'].includes(matcher) || matcher.split('|').includes(tool)),
  );
}

export interface HookOpinion {
  readonly decision: 'allow' | 'ask' | 'deny' | 'none';
  readonly reason: string;
  readonly updatedInput?: Fields;
}

/** Reads a callback's answer. `{}` means no opinion. */
export function opinionIn(answer: Fields): HookOpinion {
  const {
    permissionDecision: decision,
    permissionDecisionReason: reason,
    updatedInput: input,
  } = fieldsOf(answer['hookSpecificOutput']);
  return {
    decision: decision === 'allow' || decision === 'ask' || decision === 'deny' ? decision : 'none',
    reason: typeof reason === 'string' ? reason : 'Blocked by hook',
    ...(input === undefined ? {} : { updatedInput: fieldsOf(input) }),
  };
}
