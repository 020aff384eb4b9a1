interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly costUSD: number;
  readonly contextWindow: number;
}

export type UsageByModel = Readonly<Record<string, ModelUsage>>;

/** Counts a conversation's usage in this process, by model. As with Claude, `/clear` begins a new count. */
export class UsageMeter {
  readonly #usdPerMillionTokens: number;
  readonly #models = new Map<string, ModelUsage>();
  #costUsd = 0;

  constructor(usdPerMillionTokens: number) {
    this.#usdPerMillionTokens = usdPerMillionTokens;
  }

  get costUsd(): number {
    return this.#costUsd;
  }

  /** Adds the usage of one turn, and returns that of the turn alone. */
  add(model: string, inputTokens: number, outputTokens: number): UsageByModel {
    if (inputTokens + outputTokens === 0) return {};
    const costUSD = ((inputTokens + outputTokens) * this.#usdPerMillionTokens) / 1_000_000;
    const none = { cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
    const used = { inputTokens, outputTokens, ...none, costUSD, contextWindow };
    this.#costUsd += costUSD;
    const before = this.#models.get(model);
    this.#models.set(model, before === undefined ? used : sumOf(before, used));
    // The number of models is limited: a client that changes the model in each turn must not fill memory.
    if (this.#models.size > maxModels) this.#models.delete([...this.#models.keys()][0] ?? '');
    return { [model]: used };
  }

  byModel(): UsageByModel {
    return Object.fromEntries(this.#models);
  }
}

const maxModels = 100;

/** Nothing keeps the demo agent from more: it is what a usual model has. */
const contextWindow = 200_000;

function sumOf(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    ...a,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUSD: a.costUSD + b.costUSD,
  };
}
