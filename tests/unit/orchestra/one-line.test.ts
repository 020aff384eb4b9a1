import { describe, expect, it } from 'vitest';
import { looksLikeOneLine, parseOneLine } from '../../../src/orchestra/one-line.js';

describe('a chain in one line', () => {
  it.each([
    ['planner', [{ agent: 'planner' }]],
    ['planner:3', [{ agent: 'planner', iterations: 3 }]],
    [
      'planner:3 -> builder:10',
      [
        { agent: 'planner', iterations: 3 },
        { agent: 'builder', iterations: 10 },
      ],
    ],
    ['a->b', [{ agent: 'a' }, { agent: 'b' }]],
    ['a \t->\n b : 2', [{ agent: 'a' }, { agent: 'b', iterations: 2 }]],
    ['  9-lives_x : 007  ', [{ agent: '9-lives_x', iterations: 7 }]],
    ['a -> a -> a:1', [{ agent: 'a' }, { agent: 'a' }, { agent: 'a', iterations: 1 }]],
  ])('%j is understood', (line, steps) => {
    expect(parseOneLine(line)).toEqual(steps);
  });

  it.each([
    ['', 1],
    ['   ', 1],
    ['-> a', 1],
    ['a ->', 2],
    ['a -> -> b', 2],
    ['a -> :3', 2],
    ['a:', 1],
    ['a -> b:0', 2],
    ['a:-1', 1],
    ['a:1.5', 1],
    ['a:1e3', 1],
    ['a:0x10', 1],
    ['a:three', 1],
    ['a:1:2', 1],
    ['a:99999999999999999999', 1],
    ['a -> b -> _c', 3],
    ['-a', 1],
    ['a b', 1],
    ['a > b', 1],
    ['a → b', 1],
    ['a/b', 1],
    ['ü', 1],
  ])('%j is refused, and the step is named', (line, step) => {
    expect(() => parseOneLine(line)).toThrow(new RegExp(`^Step ${step} of the chain`));
  });

  it('is told apart from the name of a chain', () => {
    expect(['a -> b', 'a:3', 'a->b'].every(looksLikeOneLine)).toBe(true);
    expect(['build-all', 'build all'].some(looksLikeOneLine)).toBe(false);
  });
});
