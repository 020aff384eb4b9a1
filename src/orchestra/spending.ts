import type { Usage } from '../core/chat-event.js';
import type { Budget } from './types.js';

/** Adds usage up; a cost that is told by one of them only counts. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum = (key: 'cachedInputTokens' | 'costUsd') =>
    one[key] === undefined && other[key] === undefined ? {} : { [key]: (one[key] ?? 0) + (other[key] ?? 0) };
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...sum('cachedInputTokens'),
    ...sum('costUsd'),
  };
}

/** Keeps the account of a chain or of one step, and says when its budget is used up. */
export class Spending {
  readonly #budget: Budget;
  readonly #began: number;
  #usage: Usage | undefined;

  constructor(budget: Budget | undefined, before: { usage?: Usage | undefined; elapsedMs: number }) {
    this.#budget = budget ?? {};
    this.#usage = before.usage;
    // A clock of its own: the day's may be set while the chain runs.
    this.#began = performance.now() - before.elapsedMs;
  }

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
    if (costUsd !== undefined && (total?.costUsd ?? 0) >= costUsd) return `its cost is reached ($${costUsd})`;
    const used = (total?.inputTokens ?? 0) + (total?.outputTokens ?? 0);
    if (tokens !== undefined && used >= tokens) return `its tokens are used up (${tokens})`;
    return undefined;
  }
}
