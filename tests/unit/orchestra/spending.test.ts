import { expect, it } from 'vitest';
import { addUsage } from '../../../src/orchestra/spending.js';

it('usage is added up, and a context is none that could be (16.4)', () => {
  const context = { contextTokens: 90, contextWindow: 1000 };
  const one = { inputTokens: 100, outputTokens: 10, costUsd: 0.5 };
  expect(addUsage(undefined, { ...one, ...context })).toEqual(one);
  expect(addUsage({ ...one, ...context }, { inputTokens: 1, outputTokens: 2, ...context })).toEqual({
    inputTokens: 101,
    outputTokens: 12,
    costUsd: 0.5,
  });
});
