import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inlineSpans } from '../../../../src/cli/chat/markdown/inline.js';
import {
  emptyMarkdown,
  endMarkdown,
  pendingMarkdown,
  writeMarkdown,
} from '../../../../src/cli/chat/markdown/markdown-stream.js';
import { type Line, textOf } from '../../../../src/cli/chat/text/styled-line.js';
import { lineWidth } from '../../../../src/cli/chat/text/wrap.js';
import { cpuMs } from '../../../machine-speed.js';

/** fast-check's own unit of that kind takes seconds to be made. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

const sample = fc
  .array(
    fc.constantFrom(
      ...[
        '# Title',
        '**bold** and *it*',
        '`code`',
        '- item',
        '1. one',
        '> said',
        '```ts',
        'const a = "x"; // c',
        '```',
      ],
      ...[
        '| a | b |',
        '|---|--:|',
        '| 1 | 日本 |',
        '',
        '---',
        'a\u001b[2Jb',
        'word '.repeat(30),
        '/* open',
        '*/',
        '_x_ __y',
        '~~~',
        '[l](http://x)',
      ],
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'));

describe('Markdown as it is written (18.1)', () => {
  it('is the same in whatever pieces it comes', () => {
    fc.assert(
      fc.property(
        sample,
        fc.array(fc.integer({ min: 1, max: 9 })),
        fc.integer({ min: 12, max: 90 }),
        (text, cuts, width) => {
          const whole = written([text], width);
          const pieces: string[] = [];
          let at = 0;
          for (const length of cuts) {
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          pieces.push(text.slice(at));
          expect(written(pieces, width)).toEqual(whole);
        },
      ),
    );
  });

  it('is never wider than the window until it is finished; then code and words that are too long are whole', () => {
    fc.assert(
      fc.property(
        fc.oneof(sample, fc.string({ unit: anyCharacter, maxLength: 300 })),
        fc.integer({ min: 16, max: 90 }),
        (text, width) => {
          const { stream, lines } = writeMarkdown(emptyMarkdown, text, width);
          const pending = pendingMarkdown(stream, width);
          for (const line of pending) expect(lineWidth(line)).toBeLessThanOrEqual(width);
          for (const line of [...lines, ...pending, ...endMarkdown(stream, width)])
            expect(/\p{Cc}/u.test(textOf(line))).toBe(false);
        },
      ),
    );
  });

  it('headings, lists, quotes and rules', () => {
    expect(shown('# A *b*\n\n- one\n  - two\n3. three\n- [x] done\n> said\n***')).toEqual([
      ...['A b', '', '• one', '  • two', '3. three', '• ☑ done', '│ said', '─'.repeat(40)],
    ]);
  });

  it('code and addresses that are wider than the window are one line each', () => {
    const code = `const a = ${'b + '.repeat(20)}c;`;
    const address = `https://example.com/${'some-path/'.repeat(8)}`;
    expect(shown(`see ${address} and go on\n\`\`\`\n${code}\n\`\`\``, 30)).toEqual([
      ...['see', address, 'and go on', '──', code, '──'],
    ]);
    expect(shown('a well-known-place for all', 17)).toEqual(['a well-known-', 'place for all']);
  });

  it('the marks of a table are not seen while it is written', () => {
    const { stream } = writeMarkdown(emptyMarkdown, '| name | n |\n|--|--:|\n| a | 1 |\n| b', 80);
    expect(pendingMarkdown(stream, 80).map(textOf)).toEqual(['name  n', '────  ─', 'a     1']);
  });

  it('tables are aligned; in a narrow window their cells are broken, or listed', () => {
    const table = '| name | n |\n|:--|--:|\n| 日本 | 1 |\n| b | 22 |\nend';
    expect(shown(table)).toEqual(['name   n', '────  ──', '日本   1', 'b     22', 'end']);
    const wide = '| file | what it does |\n|--|--|\n| a.ts | reads the settings of all |\n| b.ts | x |\nend';
    expect(shown(wide, 24)).toEqual([
      ...['file  what it does', '────  ──────────────────'],
      ...['a.ts  reads the settings', '      of all', 'b.ts  x', 'end'],
    ]);
    expect(shown(wide, 12).slice(0, 4)).toEqual(['file: a.ts', 'what it', '  does:', '  reads the']);
    expect(shown('| no table |\nend')).toEqual(['| no table |', 'end']);
  });

  it('code keeps its blanks and is coloured; a comment goes over lines', () => {
    const lines = written(['```ts\nconst  a = "x" + 1; // why\n/* a\nb */ let c\n```\n'], 80);
    expect(lines.map(textOf)).toEqual(['── ts', 'const  a = "x" + 1; // why', '/* a', 'b */ let c', '──']);
    const [, code = [], first = [], second = []] = lines;
    expect(styleOf(code, 'const')).toEqual(['magenta']);
    expect(styleOf(code, '"x"')).toEqual(['green']);
    expect(styleOf(code, '1')).toEqual(['yellow']);
    expect(styleOf(code, '// why')).toEqual(['dim']);
    expect(styleOf(first, '/* a')).toEqual(['dim']);
    expect(styleOf(second, 'b */')).toEqual(['dim']);
    expect(styleOf(second, 'let')).toEqual(['magenta']);
  });

  it('a diff has its colours', () => {
    const [, added = [], removed = []] = written(['```diff\n+new\n-old\n```'], 80);
    expect([added[0]?.style, removed[0]?.style]).toEqual([['green'], ['red']]);
  });

  it('what is begun is shown as it may become, and as it is at the end', () => {
    const { stream } = writeMarkdown(emptyMarkdown, 'so **much mo', 80);
    expect(pendingMarkdown(stream, 80)).toEqual([
      [
        { text: 'so ', style: [] },
        { text: 'much mo', style: ['bold'] },
      ],
    ]);
    expect(endMarkdown(stream, 80).map(textOf)).toEqual(['so **much mo']);
  });

  it('a line that never ends is cut', () => {
    const { stream, lines } = writeMarkdown(emptyMarkdown, 'x'.repeat(100_000), 80);
    expect(stream.rest.length).toBeLessThanOrEqual(8000);
    expect(lines.length).toBeGreaterThan(10);
  });

  it.each<[string, readonly [string, string][]]>([
    [
      'a **b *c* d**',
      [
        ['b ', 'bold'],
        ['c', 'bold,italic'],
        [' d', 'bold'],
      ],
    ],
    ['`a *b*`', [['a *b*', 'cyan']]],
    ['``a`b``', [['a`b', 'cyan']]],
    ['~~x~~', [['x', 'strike']]],
    [
      '[t](http://u)',
      [
        ['t', 'underline'],
        [' (http://u)', 'dim'],
      ],
    ],
  ])('%s', (text, expected) => {
    const styled = inlineSpans(text, []).filter(({ style }) => style.length > 0);
    expect(styled.map((one) => [one.text, one.style.join()])).toEqual(expected);
  });

  it.each(['2 * 3 * 4', 'snake_case_name', 'a ** b', '\\*not\\*', 'unclosed `tick', '* * *a'])(
    '%s has none',
    (text) => {
      expect(inlineSpans(text, []).every(({ style }) => style.length === 0)).toBe(true);
    },
  );

  it('marks that are never closed cost no time', () => {
    const began = cpuMs();
    inlineSpans('*a _b **c `d '.repeat(600), []);
    inlineSpans('*a '.repeat(2600), [], { open: true });
    expect(cpuMs() - began).toBeLessThan(1000);
  });
});

function written(pieces: readonly string[], width: number): readonly Line[] {
  const lines: Line[] = [];
  let stream = emptyMarkdown;
  for (const piece of pieces) {
    const next = writeMarkdown(stream, piece, width);
    stream = next.stream;
    lines.push(...next.lines);
  }
  return [...lines, ...endMarkdown(stream, width)];
}

function shown(text: string, width = 60): readonly string[] {
  return written([text], width).map(textOf);
}

function styleOf(line: Line, text: string): readonly string[] | undefined {
  return line.find((span) => span.text === text)?.style;
}
