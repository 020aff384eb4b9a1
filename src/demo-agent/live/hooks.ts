import { type Fields, fieldsOf } from './read-messages.js';

/** A callback with which the client sees tools before they are used. */
export interface Hook {
  /** The tools' names with `|` between them; an empty text or `*` means every tool. */
  readonly matcher: string;
  readonly callbackId: string;
}

const maxHooks = 100;

export function hooksIn(registered: unknown): readonly Hook[] {
  const matchers = fieldsOf(registered)['PreToolUse'];
  if (!Array.isArray(matchers)) return [];
  return matchers
    .flatMap((entry) => {
      const { matcher, hookCallbackIds: ids } = fieldsOf(entry);
      const callbackIds = Array.isArray(ids) ? ids : [];
      return callbackIds.map((id) => ({ matcher: String(matcher ?? ''), callbackId: String(id) }));
    })
    .slice(0, maxHooks);
}

export function hooksFor(tool: string, hooks: readonly Hook[]): readonly Hook[] {
  return hooks.filter(
    ({ matcher }) => ['', '*', '.*'].includes(matcher) || matcher.split('|').includes(tool),
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
