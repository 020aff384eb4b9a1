import type { Usage } from '../core/chat-event.js';
import type { Budget } from './types.js';

/** What has been used so far. */
export interface Spent {
  readonly usage?: Usage | undefined;
  readonly elapsedMs: number;
}

export const nothingSpent: Spent = { elapsedMs: 0 };

/** Adds usage up; a cost that is told by one of them only counts. Contexts are sizes, which have no sum. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return withoutContext(one ?? other);
  const sum = (key: 'cachedInputTokens' | 'costUsd') =>
    one[key] === undefined && other[key] === undefined ? {} : { [key]: (one[key] ?? 0) + (other[key] ?? 0) };
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...sum('cachedInputTokens'),
    ...sum('costUsd'),
  };
}

function withoutContext(usage: Usage | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const { contextTokens: _tokens, contextWindow: _window, ...counts } = usage;
  return counts;
}

/** Keeps the account of a chain or of one step, and says when its budget is used up. */
export class Spending {
  readonly #budget: Budget;
  /** What was used before the budget began to count: a run that is resumed after its budget had ended it gets a new one. */
  readonly #before: Spent;
  readonly #began: number;
  #usage: Usage | undefined;

  constructor(budget: Budget | undefined, spent: Spent, before: Spent = nothingSpent) {
    this.#budget = budget ?? {};
    this.#usage = spent.usage;
    this.#before = before;
    // A clock of its own: the day's may be set while the chain runs.
    this.#began = performance.now() - (spent.elapsedMs - before.elapsedMs);
  }

  /** All that was ever used. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  add(usage: Usage | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** The time that is left; undefined without a limit. */
  timeLeftMs(): number | undefined {
    const { minutes } = this.#budget;
    return minutes === undefined ? undefined : minutes * 60_000 - (performance.now() - this.#began);
  }

  /** The limit that has been reached, in words, with the usage of a run that is not over yet. */
  exceeded(running?: Usage): string | undefined {
    const { minutes, costUsd, tokens } = this.#budget;
    const total = addUsage(this.#usage, running);
    if ((this.timeLeftMs() ?? 1) <= 0) return `its time is up (${minutes} min)`;
    const cost = (total?.costUsd ?? 0) - (this.#before.usage?.costUsd ?? 0);
    if (costUsd !== undefined && cost >= costUsd) return `its cost is reached ($${costUsd})`;
    if (tokens !== undefined && tokensOf(total) - tokensOf(this.#before.usage) >= tokens)
      return `its tokens are used up (${tokens})`;
    return undefined;
  }
}

function tokensOf(usage: Usage | undefined): number {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
}
