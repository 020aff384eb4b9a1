import { describe, expect, it } from 'vitest';
import { splitFound } from '../../../web/sidebar/mark-found.js';

describe('what was found (16.4)', () => {
  it('is marked, in any case and across any blanks', () => {
    expect(splitFound('A Pelican and a pelican', 'pelican')).toEqual([
      ...['A ', 'Pelican', ' and a ', 'pelican', ''],
    ]);
    expect(splitFound('two  words', ' TWO words ')).toEqual(['', 'two  words', '']);
    expect(splitFound('nothing', 'x')).toEqual(['nothing']);
  });

  it('takes signs as they are', () => {
    expect(splitFound('f(a|b) [x]', '(a|b) [x]')).toEqual(['f', '(a|b) [x]', '']);
    expect(splitFound('a\\b-c', '\\b-')).toEqual(['a', '\\b-', 'c']);
  });

  it('begins shortly before the place, at a word', () => {
    const text = 'this is the answer number 3, about the pelican in the garden';
    expect(splitFound(text, 'pelican', 12)).toEqual(['…about the ', 'pelican', ' in the garden']);
    expect(splitFound('the pelican', 'pelican', 12)).toEqual(['the ', 'pelican', '']);
    expect(splitFound(`${'x'.repeat(40)}pelican`, 'pelican', 12)[0]).toBe(`…${'x'.repeat(12)}`);
  });
});
