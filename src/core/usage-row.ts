/** What the turns of a day, a backend, a channel or a model have used. */
export interface UsageRow {
  readonly key: string;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly costUsd: number;
}

/** The sum of two rows, under the key of the first one. */
export function addUsage(one: UsageRow, other: UsageRow): UsageRow {
  return {
    key: one.key,
    turns: one.turns + other.turns,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
