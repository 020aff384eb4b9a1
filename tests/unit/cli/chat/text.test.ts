import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainLine, renderLine, textOf } from '../../../../src/cli/chat/text/styled-line.js';
import { cutLine, lineWidth, wrapLine } from '../../../../src/cli/chat/text/wrap.js';
import { terminalProse } from '../../../../src/core/text.js';
import { widthOf } from '../../../../src/core/width.js';

const anything = fc.string({ unit: 'grapheme', maxLength: 200 });

describe('texts of others in a terminal (18.1)', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['\u001b]8;;http://a\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jgone', 'gone'],
    ['a\u001bb\u0007c\bd', 'abcd'],
    ['a\r\nb\tc', 'a\nb    c'],
    ['\u202eabc\u2066', '[U+202E]abc[U+2066]'],
    ['ls \u001b]; touch x', 'ls ]; touch x'],
    ['a\u001b_b\nc\u0007', 'a_b\nc'],
    ['half \ud83d and \u{1f600}', 'half  and \u{1f600}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(terminalProse(text)).toBe(shown);
  });

  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['ﬁ', 1],
    ['e\u0301', 1],
    ['한국', 4],
    ['😀', 2],
    ['❤️', 2],
    ['🇩🇪', 4],
    ['ｆｕｌｌ', 8],
    ['─│✓', 3],
  ])('%s takes %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  it('breaks at words, and within one only where it must', () => {
    expect(rows('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(rows('abcdefghijklmno', 6)).toEqual(['abcdef', 'ghijkl', 'mno']);
    expect(rows('日本語の文章', 5)).toEqual(['日本', '語の', '文章']);
    expect(rows('', 6)).toEqual(['']);
  });

  it('breaks behind a hyphen in a word, and not within an option', () => {
    expect(rows('a well-known name', 8)).toEqual(['a well-', 'known', 'name']);
    expect(rows('goes on with --backend', 15)).toEqual(['goes on with', '--backend']);
  });

  it('no row is wider than the window, and no word is lost', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 4, max: 60 }), (text, width) => {
        const shown = wrapLine(plainLine(text, 'bold'), width, { hanging: plainLine('  ') });
        // One grapheme alone may be wider than a very narrow window.
        const widest = Math.max(
          width,
          ...Array.from(new Intl.Segmenter().segment(text), ({ segment }) => widthOf(segment) + 2),
        );
        for (const row of shown) expect(lineWidth(row)).toBeLessThanOrEqual(widest);
        expect(shown.map(textOf).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });

  it('cuts a line with an ellipsis, and never in the middle of a character', () => {
    expect(textOf(cutLine(plainLine('日本語'), 5))).toBe('日本…');
    expect(textOf(cutLine(plainLine('short'), 5))).toBe('short');
  });

  it('colours are left out on request', () => {
    expect(renderLine(plainLine('x', 'bold', 'red'), true)).toBe('\u001b[1;31mx\u001b[0m');
    expect(renderLine(plainLine('x', 'bold', 'red'), false)).toBe('x');
  });
});

function rows(text: string, width: number): readonly string[] {
  return wrapLine(plainLine(text), width).map(textOf);
}
