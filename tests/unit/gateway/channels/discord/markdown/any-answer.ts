import fc from 'fast-check';

/** Parts of answers, with more of what is hard to cut. Nothing in it is slow to make. */
const blocks = fc.oneof(
  fc
    .record({
      prefix: fc.constantFrom('', '  ', '> ', '> > ', '- ', '1. ', '> - '),
      marker: fc.constantFrom('```', '~~~', '````', '~~~~~', '`'.repeat(33)),
      info: fc.constantFrom('', 'ts', 'js title="a b"', 'x'.repeat(70), 'a`b', 'y'.repeat(2500)),
      lines: fc.array(fc.constantFrom('', '  code(1);', '```', '~~~', 'z'.repeat(2100), 'a b '.repeat(300)), {
        maxLength: 60,
      }),
      end: fc.constantFrom('```', '~~~~~', '````', '', '``` \t'),
    })
    .map(({ prefix, marker, info, lines, end }) => {
      const inside = prefix.replace(/[^>]/g, ' ');
      return [`${prefix}${marker}${info}`, ...lines.map((line) => inside + line), inside + end].join('\n');
    }),
  fc
    .tuple(
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom('word ', 'One. ', 'a', '界', '句。', '😀', '👨‍👩‍👧‍👦', 'e\u0301'),
    )
    .map(([times, unit]) => unit.repeat(times)),
  fc.integer({ min: 1, max: 80 }).map((rows) => `| a | b |\n|---|:-:|\n${'| 1 | `x` |\n'.repeat(rows)}`),
  fc.constantFrom(
    '# Heading\n\ntext:\n',
    '- item\n  - item\n'.repeat(60),
    '[a link](https://example.org/a?b=c)',
    '`inline code` ',
    ' \n'.repeat(1200),
    'z\u0300'.repeat(1) + '\u0300'.repeat(4500),
    '🇩🇪'.repeat(700),
    '\ud800',
    '\udc00',
    '\ud83d',
    '\r\n',
    '\r',
    '\0',
    '\u202e',
    '\ufeff',
    '\u0085',
    '\u2028',
    '\u001f',
    '---\n',
    '   ```',
    '> ',
    '|',
    '[',
    '`',
  ),
);

export const anyAnswer = fc
  .array(fc.tuple(blocks, fc.constantFrom('', '\n', '\n\n', ' ', '\n    ')), { maxLength: 14 })
  .map((parts) => parts.flat().join(''));
