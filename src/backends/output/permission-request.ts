import type { PermissionDecision } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { oneLine } from '../../core/text.js';

/** The error for an answer to a permission request that is unknown, or answered already. */
export function noSuchRequest(id: string): TurnoutError {
  return new TurnoutError('bad_request', `There is no permission request ${JSON.stringify(id)} to answer.`);
}

/** Throws if the request has no such answer. A caller without types can pass anything. */
export function checkDecision(decision: unknown, options: readonly PermissionDecision[]): void {
  if (options.some((option) => option === decision)) return;
  throw new TurnoutError(
    'bad_request',
    `${describe(decision)} is no answer to this permission request; nothing was allowed.`,
    { hint: `Answer with ${options.map((option) => `"${option}"`).join(' or ')}.` },
  );
}

/** Every decision that is none of these two denies, whatever it is. */
export function isAllowing(decision: PermissionDecision): boolean {
  return decision === 'allow' || decision === 'allow_always';
}

/** The field `always` of a request, from what is allowed: rules, patterns, or words. */
export function alwaysField(allowed: readonly string[]): { readonly always?: string } {
  const always = oneLine(allowed.join(', '), 200);
  return always === '' ? {} : { always };
}

/** What a CLI is given leave for when it may edit files without asking. */
export const everyEdit = 'every edit of a file';

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return typeof value === 'object' && value !== null ? 'An object' : String(value);
}
