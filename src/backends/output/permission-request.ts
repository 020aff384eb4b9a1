import type { PermissionDecision, PermissionRequestEvent } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { exactLine } from '../../core/text.js';

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

/** The field `always` of a request: all that it allows, in rules, patterns or words, each on a line of its own. */
export function alwaysField(allowed: readonly string[]): { readonly always?: string } {
  // A rule that can't be seen would be granted unseen.
  if (allowed.length === 0 || allowed.some((rule) => rule.trim() === '')) return {};
  return { always: allowed.map(exactLine).join('\n') };
}

/** So many characters of rules have room beside the question on every face. Discord has the least. */
const mostShown = 400;

/**
 * What isn't shown can't be granted: "always" stays an answer only where the request has all that it would allow, and every face
 * has the room to show it.
 */
export function withoutUnseenAlways(request: PermissionRequestEvent): PermissionRequestEvent {
  const { always = '', options, ...rest } = request;
  if (options.includes('allow_always') && always !== '' && always.length <= mostShown) return request;
  return { ...rest, options: options.filter((option) => option !== 'allow_always') };
}

/** What a CLI is given leave for when it may edit files without asking. */
export const everyEdit = 'every edit of a file';

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return typeof value === 'object' && value !== null ? 'An object' : String(value);
}
