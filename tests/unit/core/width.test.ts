import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proseLine } from '../../../src/core/text.js';
import { cutToColumns, widthOf } from '../../../src/core/width.js';

describe('a row of a terminal', () => {
  it('counts wide characters as two columns and accents as none', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('日本')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('🚂')).toBe(2);
    expect(widthOf('✓ …')).toBe(3);
  });

  it('cuts to the width, and never in the middle of a character', () => {
    expect(cutToColumns('abcdef', 6)).toBe('abcdef');
    expect(cutToColumns('abcdef', 4)).toBe('abc…');
    expect(cutToColumns('日本語', 4)).toBe('日…');
    expect(cutToColumns('ab👩‍👩‍👧 c', 5)).toBe('ab…');
    expect(cutToColumns('abc', 0)).toBe('');
    expect(cutToColumns('abcdef', 4, 'end')).toBe('…def');
    expect(cutToColumns('日本語', 5, 'end')).toBe('…本語');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 60 }), (text, columns) => {
        const cut = cutToColumns(proseLine(text), columns);
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
