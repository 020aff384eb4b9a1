import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, cutToColumns, plainLine } from '../../../../src/cli/output/one-row.js';

describe('a row of a terminal', () => {
  it('takes out of a model’s text what would steer the terminal', () => {
    expect(plainLine('\u001b[31mred\u001b[0m \u001b]0;title\u0007a\rb\nc\td\u0000\u009b2J')).toBe(
      'red a b c d',
    );
    expect(plainLine('safe\u202eevil\u2066\u200f')).toBe('safeevil');
    expect(plainLine(' \u2028x\u0085y ')).toBe('x y');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
        expect(plainLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
      }),
    );
  });

  it('counts wide characters as two columns and accents as none', () => {
    expect(columnsOf('abc')).toBe(3);
    expect(columnsOf('日本')).toBe(4);
    expect(columnsOf('e\u0301')).toBe(1);
    expect(columnsOf('🚂')).toBe(2);
    expect(columnsOf('✓ …')).toBe(3);
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
        const cut = cutToColumns(plainLine(text), columns);
        expect(columnsOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
