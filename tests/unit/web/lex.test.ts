import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lexed, lex, nothingLexed } from '../../../web/markdown/lex.js';
import { cpuMs } from '../../machine-speed.js';

const pieces = fc.constantFrom(
  ...[
    '# Title\n',
    'words and *more*',
    '\n',
    '\n\n',
    '- one\n',
    '  - two\n',
    '1. first\n',
    '> said\n',
    '    code\n',
  ],
  ...['```ts\n', '```', '~~~\n', '| a | b |\n', '|---|---|\n', '---\n', '===\n'],
  ...['`x`', '[a](b)', '\t', '  ', '* * *\n', '\\', '&amp;'],
);

describe('a text that grows', () => {
  it('gives the same blocks in any steps as at once (16.4)', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        let lexed: Lexed = nothingLexed;
        let text = '';
        for (const part of parts) {
          text += part;
          lexed = lex(text, lexed);
        }
        expect(lexed.blocks).toEqual(lex(text).blocks);
      }),
      { numRuns: 150 },
    );
  });

  it('reads only the open end anew (16.4)', () => {
    const before = lex('first\n\nsecond\n\nthi');
    const after = lex('first\n\nsecond\n\nthird', before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks[2]).toBe(before.blocks[2]);
    expect(after.blocks.at(-1)?.raw).toBe('third');
  });

  it('keeps every character (16.4)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'a *_`[]()<>#-\n\t|!~\\&'), maxLength: 200 }),
        (text) => {
          const { blocks } = lex(text);
          expect(blocks.reduce((sum, { raw }) => sum + raw.length, 0)).toBe(text.length);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('makes only so many cells, while a text comes too (16.5)', () => {
    const table = (columns: number, rows: number) =>
      `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|\n'.repeat(rows)}\n`;
    const typesOf = ({ blocks }: Lexed) => blocks.map(({ type }) => type).filter((type) => type !== 'space');
    expect(typesOf(lex(table(200, 9)))).toEqual(['table']);
    expect(typesOf(lex(table(200, 10)))).toEqual(['large table']);
    expect(typesOf(lex(`${table(200, 1000)}a`))).toEqual(['large table', 'paragraph']);
    const many = `${table(200, 9)}> ${table(200, 9).replaceAll('\n', '\n> ')}\n\n`.repeat(3);
    const expected = ['table', 'blockquote', 'table', 'blockquote', 'large table', 'blockquote'];
    expect(typesOf(lex(many))).toEqual(expected);
    let growing = nothingLexed;
    for (let end = 1; end < many.length; end += 97) growing = lex(many.slice(0, end), growing);
    expect(typesOf(lex(many, growing))).toEqual(expected);
  });

  it.each([
    ['quotes', '>'.repeat(100_000)],
    ['lists', Array.from({ length: 250 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')],
    ['brackets', '['.repeat(200_000)],
    ['tables', `> |${'a|'.repeat(20_000)}\n> |${'-|'.repeat(20_000)}\n${'> |\n'.repeat(5_000)}`],
  ])('does not hang on %s in each other (16.5)', (_, text) => {
    const began = cpuMs();
    lex(text);
    expect(cpuMs() - began).toBeLessThan(1500);
  });
});
