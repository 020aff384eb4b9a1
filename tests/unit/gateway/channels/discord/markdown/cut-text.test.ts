import fc from 'fast-check';
import { lexer, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { cutText, textOf } from '../../../../../../src/gateway/channels/discord/markdown/cut-text.js';
import { isWhiteSpace } from '../../../../../../src/gateway/channels/discord/markdown/white-space.js';
import { anyAnswer } from './any-answer.js';

const limit = 2000;

describe('cutting a text into messages', () => {
  it('any text becomes valid pieces that join to the same content (17.2)', () => {
    fc.assert(
      fc.property(anyAnswer, (text) => {
        const pieces = [...cutText(text, limit)];
        for (const piece of pieces) expectValid(textOf(text, piece));
        expect(joined(text, pieces)).toBe(text);
      }),
      { numRuns: 80 },
    );
  });

  it('any mixture of single characters as well (17.2)', () => {
    const character = fc.constantFrom(...'`~>-# \n\t|[](). aé界😀\u0301\u200d');
    fc.assert(
      fc.property(fc.array(character, { minLength: 500, maxLength: 2500 }), (characters) => {
        const text = characters.join('');
        const pieces = [...cutText(text, 500)];
        for (const piece of pieces) expectValid(textOf(text, piece), 500);
        expect(joined(text, pieces)).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('a Markdown reader finds the same code in the pieces as in the whole (17.2)', () => {
    const line = fc.constantFrom(
      '',
      '  indented();',
      'call(a, b);',
      '# no heading',
      '- no item',
      'x'.repeat(90),
    );
    const code = fc
      .tuple(
        fc.constantFrom('```', '~~~~'),
        fc.constantFrom('', 'ts', 'sh'),
        fc.array(line, { maxLength: 120 }),
      )
      .map(([marker, info, lines]) => [marker + info, 'first', ...lines, 'last', marker].join('\n'));
    const prose = fc.integer({ min: 1, max: 300 }).map((words) => 'Some words. '.repeat(words).trim());
    fc.assert(
      fc.property(fc.array(fc.oneof(code, prose), { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.join('\n\n');
        const pieces = [...cutText(text, limit)].map((piece) => textOf(text, piece));
        const seen = pieces.flatMap((piece) => codeIn(piece).flatMap((found) => found.split('\n')));
        expect(seen).toEqual(codeIn(text).flatMap((found) => found.split('\n')));
      }),
      { numRuns: 40 },
    );
  });

  it('100 KB without a space are cut at the limit, and no character that people see is cut (17.2)', () => {
    expect(cut('x'.repeat(100_000))).toHaveLength(50);
    for (const unit of ['😀', '👨‍👩‍👧‍👦', '🇩🇪', 'e\u0301']) {
      const pieces = cut(unit.repeat(Math.ceil(100_000 / unit.length)));
      for (const piece of pieces) expect(piece.length % unit.length, unit).toBe(0);
    }
  });

  it('a character with more marks than a message takes is cut nevertheless', () => {
    expect(cut(`a${'\u0300'.repeat(5000)}`)).toHaveLength(3);
  });

  it('code that is cut goes on in a fence of the same kind', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `  line(${index});`);
    const [first = '', second = ''] = cut(`Look:\n\n~~~ts title="a"\n${lines.join('\n')}\n~~~`);
    expect(first).toMatch(/^Look:\n\n~~~ts title="a"\n {2}line\(0\);\n[^~]*;\n~~~$/);
    expect(second).toMatch(/^~~~ts title="a"\n {2}line/);
  });

  it('code in a list or a quote goes on there', () => {
    const code = (indent: string) => `${indent}call();\n`.repeat(300);
    const [, list = ''] = cut(`1. \`\`\`sh\n${code('   ')}   \`\`\``);
    expect(list).toMatch(/^```sh\n {3}call\(\);\n/);
    expect(list).toMatch(/\n {3}```$/);
    const [, quoted = ''] = cut(`> \`\`\`sh\n${code('> ')}> \`\`\``);
    expect(quoted).toMatch(/^> ```sh\n> call\(\);\n/);
    const [, midLine = ''] = cut(`> \`\`\`\n> ${'x'.repeat(4000)}\n> \`\`\``);
    expect(midLine).toMatch(/^> ```\n> x+\n> ```$/);
  });

  it('a fence ends with its quote', () => {
    const pieces = cut(`> \`\`\`\n> code\n\n${'word '.repeat(800)}`);
    expect(pieces.slice(1).join('')).not.toContain('`');
  });

  it('an unclosed fence is closed, and a long info string is not repeated', () => {
    expect(cut('```js\ncode')).toEqual(['```js\ncode\n```']);
    const [, second = ''] = cut(`\`\`\`js ${'i'.repeat(100)}\n${'code;\n'.repeat(500)}`);
    expect(second).toMatch(/^```js\ncode;\n/);
  });

  it('no piece has a fence with nothing in it', () => {
    const code = 'x'.repeat(94).concat('\n').repeat(21);
    const [first = '', second = ''] = cut(`\`\`\`\n${code.slice(-1993)}\`\`\`\`\`\`\n\nmore`);
    expect(first).toMatch(/x\n```$/);
    expect(second).toMatch(/^```\nx+\n``````\n\nmore$/);
  });

  it('prefers the space between blocks, then lines, sentences and words', () => {
    const paragraph = `${'word '.repeat(250).trim()}.`;
    expect(cut(`${paragraph}\n\n${paragraph}`)).toEqual([paragraph, paragraph]);
    expect(cut(`${'a '.repeat(900)}\n- ${'b '.repeat(400)}`)[1]).toMatch(/^- b/);
    expect(cut('One more sentence. '.repeat(200))[0]).toMatch(/sentence\.$/);
    expect(cut('word '.repeat(800))[0]).toMatch(/ word$/);
  });

  it('a heading, and a line that announces something, stay with what follows', () => {
    const text = `${'word '.repeat(330).trim()}\n\n## Next\n\n${'other '.repeat(200)}`;
    expect(cut(text)[1]).toMatch(/^## Next/);
    const code = `\`\`\`\n${'code;\n'.repeat(200)}\`\`\``;
    expect(cut(`${'word '.repeat(250).trim()}.\n\nThe code:\n\n${code}`)[1]).toMatch(/^The code:/);
  });

  it('leaves a short block of code, a link and inline code whole', () => {
    const code = `\`\`\`\n${'code;\n'.repeat(100)}\`\`\``;
    expect(cut(`${'word '.repeat(330).trim()}\n\n${code}`)[1]).toBe(code);
    for (const inline of ['[a b c d](https://example.org)', '`a b c d`'])
      expect(cut(`${'word '.repeat(399)}${inline} ${'x '.repeat(50)}`)[1]).toContain(inline);
    const address = `https://example.org/${'a'.repeat(900)}`;
    expect(cut(`${'word '.repeat(300)}${address}`)[1]).toBe(address);
  });
});

function cut(text: string): readonly string[] {
  return [...cutText(text, limit)].map((piece) => textOf(text, piece));
}

function expectValid(piece: string, most = limit): void {
  expect(piece.length).toBeLessThanOrEqual(most);
  expect(piece.length).toBeGreaterThan(0);
  expect(isWhiteSpace(piece.charCodeAt(0)), 'Discord would remove its beginning').toBe(false);
  expect(isWhiteSpace(piece.charCodeAt(piece.length - 1)), 'Discord would remove its end').toBe(false);
}

/**
 * Puts a cut text together again: what may be missing between the pieces is white space, what may be added is a line that
 * closes a fence, and one that opens the same fence.
 */
function joined(
  text: string,
  pieces: Iterable<{ opening: string; from: number; to: number; closing: string }>,
): string {
  let whole = '';
  let cutFence: string | undefined;
  const gapTo = (end: number) => {
    const gap = text.slice(whole.length, end);
    expect([...gap].every((character) => isWhiteSpace(character.charCodeAt(0)))).toBe(true);
    expect(gap === '' || cutFence === undefined || end === text.length, 'white space of code is kept').toBe(
      true,
    );
    whole += gap;
  };
  for (const { opening, from, to, closing } of pieces) {
    gapTo(from);
    const reopened = /^[ \t>]*(`{3,32}|~{3,32})[^\n]*\n[ \t>]*$/.exec(opening);
    expect(reopened?.[1], 'a fence is reopened if it was cut').toBe(cutFence);
    expect(opening === '' || reopened !== null).toBe(true);
    cutFence = /^\n?[ \t>]*(`{3,32}|~{3,32})$/.exec(closing)?.[1];
    expect(closing === '' || cutFence !== undefined).toBe(true);
    const [before, behind] = [text.charCodeAt(to - 1), text.charCodeAt(to)];
    const inPair = before >> 10 === 0x36 && behind >> 10 === 0x37;
    expect(inPair, 'a surrogate pair is cut').toBe(false);
    whole += text.slice(from, to);
  }
  gapTo(text.length);
  return whole;
}

function codeIn(markdown: string): readonly string[] {
  return lexer(markdown).flatMap((token: Token) => (token.type === 'code' ? [String(token['text'])] : []));
}
