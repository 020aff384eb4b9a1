/** How deep a model thinks, from the least to the most. The names are those that most vendors have in common. */
export const thinkingDepths = ['off', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type ThinkingDepth = (typeof thinkingDepths)[number];

/** A depth by its name, or a budget in tokens. */
export type Thinking = ThinkingDepth | number;

/** The values of `thinking` that a CLI takes; `tokens` stands for any number of them. */
export type TakenThinking = ThinkingDepth | 'tokens';

/** Reads a depth or a number of tokens as a person writes it, in any case; `undefined` if it is neither. */
export function parseThinking(raw: string): Thinking | undefined {
  const word = raw.toLowerCase();
  const depth = thinkingDepths.find((known) => known === word);
  if (depth !== undefined) return depth;
  return /^[1-9]\d{0,8}$/.test(word) ? Number(word) : undefined;
}

export const thinkingExpected = `expected one of ${thinkingDepths.join(', ')}, or a number of tokens`;
