import type { PermissionDecision } from '../../../../core/chat-event.js';

/** What a button does. Its id says everything: after a restart nothing else is left. */
export type ButtonAction =
  | { readonly type: 'decide'; readonly permissionId: string; readonly decision: PermissionDecision }
  | { readonly type: 'cancel' | 'runNext'; readonly eventId: string }
  | { readonly type: 'stop'; readonly turnId: string };

const shape = /^turnout:(allow|allow_always|deny|cancel|runNext|stop):([\w-]{1,70})$/;

export function customId(action: ButtonAction): string {
  if (action.type === 'decide') return `turnout:${action.decision}:${action.permissionId}`;
  return `turnout:${action.type}:${action.type === 'stop' ? action.turnId : action.eventId}`;
}

/** Undefined for a button that no version of this bot has made. */
export function readCustomId(id: string): ButtonAction | undefined {
  const [, verb, subject] = shape.exec(id) ?? [];
  if (verb === undefined || subject === undefined) return undefined;
  if (verb === 'cancel' || verb === 'runNext') return { type: verb, eventId: subject };
  if (verb === 'stop') return { type: verb, turnId: subject };
  return { type: 'decide', permissionId: subject, decision: verb as PermissionDecision };
}
