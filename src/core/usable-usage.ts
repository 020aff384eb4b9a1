import type { Usage } from './chat-event.js';

/** A CLI's numbers, of which only those stay that can be true: anything may be printed, and the rest is stored and summed up. */
export function usableUsage({ inputTokens, outputTokens, cachedInputTokens, costUsd }: Usage): Usage {
  const cached = tokens(cachedInputTokens);
  const hasCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    inputTokens: tokens(inputTokens) ?? 0,
    outputTokens: tokens(outputTokens) ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(hasCost ? { costUsd } : {}),
  };
}

function tokens(count: number | undefined): number | undefined {
  const whole = Math.round(count ?? Number.NaN);
  return whole >= 0 && whole <= Number.MAX_SAFE_INTEGER ? whole : undefined;
}
