import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBlanks } from '../../../src/core/fold-blanks.js';

describe('blank space that hides something (16.5)', () => {
  it('is told in words', () => {
    expect(foldBlanks(`ls${'\n'.repeat(300)}rm`)).toEqual(['ls\n', { fold: '299 empty lines' }, '\nrm']);
    expect(foldBlanks(`a${' '.repeat(3000)}b`)).toEqual(['a', { fold: '3000 spaces' }, 'b']);
    expect(foldBlanks(`\n \n\t\n\u3000\na`)).toEqual([{ fold: '4 empty lines' }, '\na']);
    expect(foldBlanks('a\n\n\n\n\n')).toEqual(['a\n', { fold: '5 empty lines' }]);
    expect(foldBlanks('')).toEqual([]);
  });

  it('is left as it is where there is little of it, and with all other text', () => {
    const text = 'if x:\n\n\n    y\n';
    expect(foldBlanks(text)).toEqual([text]);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t') }), (any) => {
        const kept = foldBlanks(any).map((part) => (typeof part === 'string' ? part : ''));
        expect(kept.join('').replaceAll(/\s/g, '')).toBe(any.replaceAll(/\s/g, ''));
      }),
    );
  });
});
