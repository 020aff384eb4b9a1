import type { TakenThinking, Thinking } from '../../core/thinking.js';

/** Returns an alternative if the CLI does not take the value; `undefined` if it does. */
export function insteadOfThinking(
  backend: string,
  taken: readonly TakenThinking[],
  thinking: Thinking,
): string | undefined {
  if (taken.includes(typeof thinking === 'number' ? 'tokens' : thinking)) return undefined;
  if (taken.length === 0) return `Set it in ${backend}'s own settings.`;
  const names = taken.filter((value) => value !== 'tokens').join(', ');
  const tokens = taken.includes('tokens') ? ', or a number of tokens' : '';
  return `Use one of: ${names}${tokens}.`;
}
