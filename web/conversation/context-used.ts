import type { ChannelStatusView } from '../../src/gateway/channels/http/wire.js';
import type { Turn } from '../feed/turn.js';
import { countInWords } from '../in-words.js';

type Context = NonNullable<ChannelStatusView['context']>;

/** The context that the agent's session takes: as the running turn tells it, or as the last one did. */
export function contextUsed(
  status: ChannelStatusView | undefined,
  turns: readonly Pick<Turn, 'state' | 'usage'>[],
): Context | undefined {
  const running = turns.findLast(({ state }) => state === 'running')?.usage;
  if (running?.contextTokens === undefined) return status?.context;
  const window = running.contextWindow ?? status?.context?.window;
  return window === undefined ? { tokens: running.contextTokens } : { tokens: running.contextTokens, window };
}

/** Context: 12.3k of 200k tokens (6 %) */
export function contextInWords({ tokens, window }: Context): string {
  if (window === undefined) return `Context: ${countInWords(tokens)} tokens`;
  const percent = Math.round((100 * tokens) / window);
  return `Context: ${countInWords(tokens)} of ${countInWords(window)} tokens (${percent} %)`;
}
