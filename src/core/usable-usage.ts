import type { Usage } from './chat-event.js';

/** A CLI's numbers, of which only those stay that can be true: anything may be printed, and the rest is stored and summed up. */
export function usableUsage(usage: Usage): Usage {
  const { costUsd } = usage;
  const cachedInputTokens = tokens(usage.cachedInputTokens);
  const contextTokens = tokens(usage.contextTokens);
  const contextWindow = tokens(usage.contextWindow);
  const hasCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    inputTokens: tokens(usage.inputTokens) ?? 0,
    outputTokens: tokens(usage.outputTokens) ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(hasCost ? { costUsd } : {}),
    // No model call has an empty context, and no model a window for nothing.
    ...(contextTokens ? { contextTokens } : {}),
    ...(contextWindow ? { contextWindow } : {}),
  };
}

function tokens(count: number | undefined): number | undefined {
  const whole = Math.round(count ?? Number.NaN);
  return whole >= 0 && whole <= Number.MAX_SAFE_INTEGER ? whole : undefined;
}
